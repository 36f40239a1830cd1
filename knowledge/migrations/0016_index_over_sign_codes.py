"""What was decided about the index over sign codes, and what was measured."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0015_versions_wait_for_review'),
    ]

    operations = [
        migrations.CreateModel(
            name='SemanticIndex',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('generation', models.IntegerField(default=0)),
                ('is_installed', models.BooleanField(default=False)),
                ('lists', models.IntegerField(default=0)),
                ('probes', models.IntegerField(default=0)),
                ('fullest', models.FloatField(default=0)),
                ('trained_at', models.DateTimeField(null=True)),
                ('trained_on', models.IntegerField(default=0)),
                ('measured_at', models.DateTimeField(null=True)),
                ('measured_on', models.IntegerField(default=0)),
                ('worst_shape', models.CharField(blank=True, max_length=40)),
                ('recall', models.FloatField(default=1)),
                ('worst', models.FloatField(default=1)),
                ('head_misses', models.IntegerField(default=0)),
                ('floor', models.FloatField(default=0)),
                ('scan_recall', models.FloatField(default=1)),
                ('scan_head_misses', models.IntegerField(default=0)),
                ('is_scan_enough', models.BooleanField(default=True)),
                ('is_alarmed', models.BooleanField(default=False)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='indexes', to='knowledge.embeddingspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('space', 'kind'), name='a_corpus_has_one_index_a_space')],
            },
        ),
    ]
