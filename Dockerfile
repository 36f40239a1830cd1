# The product as one image; what a container is (web, indexer, worker, beat) is its command. See docs/deploying.md.
FROM python:3.12-slim AS packages
COPY requirements.txt requirements-s3.txt /tmp/
# Wheels only: nothing of a package is built or run while the image is made.
RUN python -m venv /opt/crewlet \
 && /opt/crewlet/bin/pip install --no-cache-dir --only-binary :all: -r /tmp/requirements.txt -r /tmp/requirements-s3.txt

FROM python:3.12-slim
# The runtime of the embedding models' engine, which slim images leave out.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libgomp1 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin crewlet \
 && install -d -o crewlet -g crewlet -m 0700 /data
COPY --from=packages /opt/crewlet /opt/crewlet
WORKDIR /app
COPY manage.py requirements.txt ./
COPY company company
COPY knowledge knowledge
COPY skills skills
COPY tracker tracker
COPY crewlet_site crewlet_site
COPY templates templates
COPY static static
COPY examples examples
ENV PATH=/opt/crewlet/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 CREWLET_DATA_DIR=/data
RUN python -m compileall -q /app
USER crewlet
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["python", "-P", "-m", "crewlet_site.cli"]
CMD ["run", "web", "--host", "0.0.0.0"]
