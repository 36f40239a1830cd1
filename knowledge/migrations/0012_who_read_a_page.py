"""Who read a page, by company day."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0011_talk_and_trash_of_other_things")]

    operations = [
        migrations.CreateModel(
            name="PageReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("page_id", models.BigIntegerField()),
                ("seat", models.CharField(max_length=150)),
                ("via", models.CharField(max_length=16)),
                ("day", models.DateField()),
                ("count", models.IntegerField()),
                ("last_at", models.DateTimeField()),
                ("last_turn_id", models.CharField(max_length=200, null=True)),
                ("last_query", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="readings_by_day")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("page_id", "day", "seat", "via"), name="reading_is_counted_once_a_day"
                    )
                ],
            },
        ),
    ]
