package petrichor.services.blobs;

/**
 * Version of a bucket or an object. Times in microseconds since 1970.
 *
 * @param generation of the content; higher for each new content of the same name
 * @param metageneration of the metadata, from 1 for each generation
 * @param createdMicros when this generation was created
 * @param updatedMicros when its metadata changed last
 */
public record Version(
        long generation, long metageneration, long createdMicros, long updatedMicros) {
    public Version {
        if (generation < 0 || metageneration < 1) {
            throw new IllegalArgumentException("no version: " + generation + " " + metageneration);
        }
    }

    static Version first(long generation, long now) {
        return new Version(generation, 1, now, now);
    }

    Version changed(long now) {
        return new Version(
                generation, metageneration + 1, createdMicros, Math.max(now, updatedMicros + 1));
    }
}
