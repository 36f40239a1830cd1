"""What pages link to, found in the pages that are there by the rule the saves use."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from knowledge.rules.links import LINKS_RULE
from knowledge.rules.markdown import page_links_in

PAGES_A_STEP = 100
ROWS_A_STATEMENT = 1_000


def fill_links(apps: Any, _schema_editor: Any) -> None:
    """The links of every page, some pages at a time: a body has up to 512 KiB."""
    page, link = apps.get_model("knowledge", "Page"), apps.get_model("knowledge", "PageLink")
    last = 0
    while rows := list(page.objects.filter(pk__gt=last).order_by("pk").only("body")[:PAGES_A_STEP]):
        found = [
            link(source_id=row.pk, target=target.page_id, origin=target.origin)
            for row in rows
            for target in page_links_in(row.body)
        ]
        link.objects.bulk_create(found, batch_size=ROWS_A_STATEMENT)
        page.objects.filter(pk__in=[row.pk for row in rows]).update(links_rule=LINKS_RULE)
        last = rows[-1].pk


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0008_the_trash_is_emptied")]

    operations = [
        migrations.AddField(model_name="page", name="links_rule", field=models.SmallIntegerField(default=0)),
        migrations.CreateModel(
            name="PageLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("target", models.BigIntegerField()),
                ("origin", models.CharField(blank=True, max_length=512)),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="links", to="knowledge.page"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["target", "source"], name="links_to_a_page")],
                "constraints": [
                    models.UniqueConstraint(fields=("source", "target", "origin"), name="a_page_links_to_another_once")
                ],
            },
        ),
        migrations.RunPython(fill_links, migrations.RunPython.noop, elidable=True),
    ]
