package petrichor.services.blobs;

/**
 * A bucket.
 *
 * @param name unique in the deployment
 * @param project to which it belongs
 * @param versioning whether replaced and deleted objects stay as noncurrent versions
 * @param settings without effect here, as the front end encodes them
 */
public record Bucket(
        String name, String project, Version version, boolean versioning, String settings) {}
