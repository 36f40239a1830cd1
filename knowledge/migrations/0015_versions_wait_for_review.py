"""Versions of a page, and files of its folder, that wait for somebody else's look."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0014_titles_by_their_words_and_pruning"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="attachment",
            name="a_path_is_one_file_of_a_page",
        ),
        migrations.AddField(
            model_name="attachment",
            name="waits",
            field=models.CharField(
                blank=True, choices=[("", "Not"), ("to_come", "To Come"), ("to_go", "To Go")], default="", max_length=16
            ),
        ),
        migrations.AddField(
            model_name="page",
            name="held_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="page",
            name="held_by_kind",
            field=models.CharField(blank=True, max_length=16),
        ),
        migrations.AddField(
            model_name="page",
            name="held_by_name",
            field=models.CharField(blank=True, max_length=255),
        ),
        migrations.AddField(
            model_name="page",
            name="held_version",
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name="page",
            name="last_version",
            field=models.IntegerField(default=1),
        ),
        migrations.RunSQL("UPDATE knowledge_page SET last_version = version", migrations.RunSQL.noop, elidable=True),
        migrations.AddField(
            model_name="revision",
            name="decided_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="revision",
            name="decided_by_kind",
            field=models.CharField(blank=True, max_length=16),
        ),
        migrations.AddField(
            model_name="revision",
            name="decided_by_name",
            field=models.CharField(blank=True, max_length=255),
        ),
        migrations.AddField(
            model_name="revision",
            name="decision",
            field=models.CharField(blank=True, max_length=256),
        ),
        migrations.AddField(
            model_name="revision",
            name="state",
            field=models.CharField(
                choices=[
                    ("published", "Published"),
                    ("pending", "Pending"),
                    ("superseded", "Superseded"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="published",
                max_length=16,
            ),
        ),
        migrations.AddIndex(
            model_name="page",
            index=models.Index(
                condition=models.Q(("held_version__isnull", False)), fields=["held_at", "id"], name="pages_that_wait"
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("path", ""), _negated=True), models.Q(("waits", "to_come"), _negated=True)
                ),
                fields=("page", "path"),
                name="a_path_is_one_file_of_a_page",
            ),
        ),
        migrations.AddConstraint(
            model_name="attachment",
            constraint=models.UniqueConstraint(
                condition=models.Q(models.Q(("path", ""), _negated=True), ("waits", "to_come")),
                fields=("page", "path"),
                name="a_path_is_one_file_to_come",
            ),
        ),
    ]
