"""Comments, notifications and failed purges may be about things of other apps than pages."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0010_vectors'),
    ]

    operations = [
        # What failed is due again at the next pass, so nothing is lost with the table.
        migrations.DeleteModel(name='FailedPurge'),
        migrations.CreateModel(
            name='FailedPurge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(db_default='page', default='page', max_length=16)),
                ('subject_id', models.BigIntegerField()),
                ('operation', models.CharField(max_length=128)),
                ('attempts', models.IntegerField(default=1)),
                ('error', models.TextField()),
                ('failed_at', models.DateTimeField()),
                ('retry_at', models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name='comment',
            name='kind',
            field=models.CharField(db_default='page', default='page', max_length=16),
        ),
        migrations.AddField(
            model_name='comment',
            name='subject_id',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='notification',
            name='kind',
            field=models.CharField(db_default='page', default='page', max_length=16),
        ),
        migrations.AddField(
            model_name='notification',
            name='subject_id',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='comment',
            name='page',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='knowledge.page'),
        ),
        migrations.AlterField(
            model_name='notification',
            name='page',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, to='knowledge.page'),
        ),
        migrations.AddIndex(
            model_name='comment',
            index=models.Index(condition=models.Q(('kind', 'page'), _negated=True), fields=['kind', 'subject_id', 'id'], name='comments_of_other_things'),
        ),
        migrations.AddConstraint(
            model_name='comment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'page'), ('page__isnull', False), ('subject_id__isnull', True)), models.Q(models.Q(('kind', 'page'), _negated=True), ('page__isnull', True), ('subject_id__isnull', False)), _connector='OR'), name='a_comment_is_about_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='failedpurge',
            constraint=models.UniqueConstraint(fields=('kind', 'subject_id'), name='a_failed_purge_is_kept_once'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.UniqueConstraint(fields=('seat', 'kind', 'subject_id', 'hour'), name='a_seat_is_told_once_a_thing_and_hour'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'page'), ('page__isnull', False), ('subject_id__isnull', True)), models.Q(models.Q(('kind', 'page'), _negated=True), ('page__isnull', True), ('subject_id__isnull', False)), _connector='OR'), name='a_notification_is_about_one_thing'),
        ),
    ]
