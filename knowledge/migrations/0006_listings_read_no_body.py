"""Columns for what a listing shows of a body, filled for the pages that are there."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

from knowledge.rules.excerpts import excerpt_of

PAGES_A_STEP = 200


def fill_excerpts(apps: Any, _schema_editor: Any) -> None:
    """The excerpt of every page that has none, some pages at a time: a body has up to 512 KiB."""
    page = apps.get_model("knowledge", "Page")
    last = 0
    while rows := list(page.objects.filter(pk__gt=last).exclude(body="").order_by("pk").only("body")[:PAGES_A_STEP]):
        for row in rows:
            row.excerpt = excerpt_of(row.body)
        page.objects.bulk_update(rows, ["excerpt"])
        last = rows[-1].pk


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0005_files_of_pages")]

    operations = [
        migrations.RemoveIndex(model_name="page", name="pages_in_the_trash"),
        migrations.AddField(model_name="page", name="excerpt", field=models.TextField(blank=True)),
        migrations.RunPython(fill_excerpts, migrations.RunPython.noop, elidable=True),
        migrations.AddField(
            model_name="page",
            name="is_folder",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.ExpressionWrapper(models.Q(("body", "")), output_field=models.BooleanField()),
                output_field=models.BooleanField(),
            ),
        ),
        migrations.AddIndex(
            model_name="page",
            index=models.Index(
                condition=models.Q(("status", "trashed")), fields=["trashed_at", "id"], name="pages_in_the_trash"
            ),
        ),
        migrations.AddIndex(
            model_name="page",
            index=models.Index(
                condition=models.Q(("status", "trashed")), fields=["trashed_with"], name="pages_that_fell_together"
            ),
        ),
    ]
