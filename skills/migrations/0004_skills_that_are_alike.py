from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("skills", "0003_sessions_remember_agent_skills")]

    operations = [
        migrations.CreateModel(
            name="SkillSaying",
            fields=[
                ("page_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("version", models.IntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("vector", models.BinaryField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="SkillPair",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first", models.BigIntegerField()),
                ("second", models.BigIntegerField()),
                ("likeness", models.IntegerField()),
                ("measure", models.CharField(max_length=100)),
            ],
            options={
                "indexes": [models.Index(fields=["second"], name="pairs_by_the_second")],
                "constraints": [
                    models.UniqueConstraint(fields=("first", "second"), name="two_skills_are_compared_once")
                ],
            },
        ),
    ]
