"""Vectors of documents, their sign codes, and the memory of the embedding duty. Needs pgvector 0.7 or newer."""

import django.db.models.deletion
import pgvector.django.halfvec
from django.db import migrations, models
from pgvector.django import VectorExtension

import knowledge.models.vectors

#: Neither is ever compressed or moved out of the row: both would have to be undone for each row that a search reads.
PLAIN = """
    ALTER TABLE knowledge_signcode ALTER COLUMN code SET STORAGE PLAIN;
    ALTER TABLE knowledge_sourcevector ALTER COLUMN vector SET STORAGE PLAIN;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0009_links_between_pages'),
    ]

    operations = [
        VectorExtension(),
        migrations.CreateModel(
            name='SignCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('object_id', models.BigIntegerField()),
                ('container', models.CharField(max_length=16)),
                ('bucket', models.SmallIntegerField()),
                ('version', models.BigIntegerField()),
                ('code', knowledge.models.vectors.CodeField()),
            ],
        ),
        migrations.CreateModel(
            name='EmbeddingPass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
                ('model', models.CharField(max_length=255)),
                ('dimensions', models.IntegerField()),
                ('requests', models.IntegerField(default=0)),
                ('embedded', models.IntegerField(default=0)),
                ('restamped', models.IntegerField(default=0)),
                ('removed', models.IntegerField(default=0)),
                ('held', models.IntegerField(default=0)),
                ('provider_seconds', models.FloatField(default=0)),
                ('failure', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['ended_at'], name='passes_by_their_end')],
            },
        ),
        migrations.CreateModel(
            name='EmbeddingSpace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=255)),
                ('dimensions', models.IntegerField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('filled_at', models.DateTimeField(null=True)),
                ('measured_at', models.DateTimeField(null=True)),
                ('sources', models.IntegerField(default=0)),
                ('current', models.IntegerField(default=0)),
                ('is_alarmed', models.BooleanField(default=False)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('model', 'dimensions'), name='a_model_and_width_is_one_space')],
            },
        ),
        migrations.CreateModel(
            name='EmbeddingState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('configuration', models.CharField(blank=True, max_length=64)),
                ('revision', models.BigIntegerField(default=0)),
                ('position', models.BigIntegerField(null=True)),
                ('is_caught_up', models.BooleanField(default=False)),
                ('swept_at', models.DateTimeField(null=True)),
                ('halves', models.JSONField(default=dict)),
                ('has_accepted', models.BooleanField(default=False)),
                ('is_blamed', models.BooleanField(default=False)),
                ('failures', models.IntegerField(default=0)),
                ('failure', models.TextField(blank=True)),
                ('retry_at', models.DateTimeField(null=True)),
                ('ticked_at', models.DateTimeField(null=True)),
                ('space', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to='knowledge.embeddingspace')),
            ],
        ),
        migrations.CreateModel(
            name='HeldSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('object_id', models.BigIntegerField()),
                ('version', models.BigIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('size', models.IntegerField()),
                ('reason', models.TextField()),
                ('is_unusable', models.BooleanField(default=False)),
                ('attempts', models.IntegerField(default=1)),
                ('first_refused_at', models.DateTimeField()),
                ('refused_at', models.DateTimeField()),
                ('asked_again', models.BooleanField(default=False)),
            ],
            options={
                'indexes': [models.Index(fields=['refused_at'], name='held_the_longest')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'object_id'), name='a_source_is_held_once')],
            },
        ),
        migrations.CreateModel(
            name='SourceVector',
            fields=[
                ('code', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='full', serialize=False, to='knowledge.signcode')),
                ('kind', models.CharField(max_length=16)),
                ('object_id', models.BigIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('embedded_at', models.DateTimeField()),
                ('vector', pgvector.django.halfvec.HalfVectorField()),
            ],
        ),
        migrations.AddField(
            model_name='signcode',
            name='space',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='knowledge.embeddingspace'),
        ),
        migrations.AddIndex(
            model_name='signcode',
            index=models.Index(fields=['space', 'container'], name='codes_of_a_container'),
        ),
        migrations.AddConstraint(
            model_name='signcode',
            constraint=models.UniqueConstraint(fields=('space', 'kind', 'object_id'), name='a_source_has_one_code_a_space'),
        ),
        migrations.RunSQL(PLAIN, migrations.RunSQL.noop),
    ]
