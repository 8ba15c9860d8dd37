"""Outputs of MapReduce that are not entities."""

import dataclasses
import uuid

from petrichor_workflows.values import describes

COMPOSED_MAX = 32


@describes
@dataclasses.dataclass
class Objects:
    """Lines of objects in Cloud Storage: one object per partition, `PREFIX-00000-of-00004`. Needs google-cloud-storage.

    The objects appear when their partitions are complete. Until then, their parts are below `PREFIX.parts/`.
    """

    bucket: str
    prefix: str

    def _bucket(self):
        from google.cloud import storage

        return storage.Client().bucket(self.bucket)

    def _parts(self, job):
        return f"{self.prefix}.parts/{job}/"

    def write(self, job, partition, lines):
        """Writes a part and returns its name. The name is new: an attempt that is repeated cannot change another's part."""
        name = f"{self._parts(job)}{partition:05d}-{uuid.uuid4().hex}"
        text = "".join(line + "\n" for line in lines)
        self._bucket().blob(name).upload_from_string(text.encode(), content_type="text/plain; charset=utf-8")
        return name

    def complete(self, job, partition, partitions, parts):
        """Composes the parts, in several levels if there are many. Returns the name of the object."""
        bucket = self._bucket()
        name = f"{self.prefix}-{partition:05d}-of-{partitions:05d}"
        level = 0
        while len(parts) > COMPOSED_MAX:
            groups = [parts[first : first + COMPOSED_MAX] for first in range(0, len(parts), COMPOSED_MAX)]
            level += 1
            parts = [
                self._compose(bucket, f"{self._parts(job)}{partition:05d}-level-{level}-{number:05d}", group)
                for number, group in enumerate(groups)
            ]
        return self._compose(bucket, name, parts)

    @staticmethod
    def _compose(bucket, name, parts):
        blob = bucket.blob(name)
        blob.content_type = "text/plain; charset=utf-8"
        if parts:
            blob.compose([bucket.blob(part) for part in parts])
        else:
            blob.upload_from_string(b"", content_type=blob.content_type)
        return name

    def clean(self, job):
        bucket = self._bucket()
        bucket.delete_blobs(list(bucket.list_blobs(prefix=self._parts(job))), on_error=lambda blob: None)
