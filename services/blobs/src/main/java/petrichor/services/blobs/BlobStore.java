package petrichor.services.blobs;

import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.ContentId;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;

/**
 * What the parts of this service share.
 *
 * @param databases current databases, which a reset replaces
 * @param content of all objects
 * @param chance unpredictable, because a client with the id of an upload may continue it
 * @param written contents being written by this process
 * @param quota of the bytes of objects
 */
record BlobStore(
        Supplier<Databases> databases,
        BlobContent content,
        TimeSource time,
        RandomGenerator chance,
        UnfinishedContents written,
        StorageQuota quota) {
    Database database(String project) {
        return databases.get().open(project);
    }

    /** Contains the names of all buckets. */
    Database directory() {
        return databases.get().open(Blobs.DIRECTORY);
    }

    long now() {
        return time.epochMicros();
    }

    ContentId newContent(String project) {
        return ContentId.next(project, chance);
    }

    /**
     * Makes a content visible as the new live version of an object. NOT_FOUND if the bucket does
     * not exist, FAILED_PRECONDITION if a precondition does not hold, RESOURCE_EXHAUSTED if the
     * project stores as much as it may.
     *
     * @param more further writes of the same commit
     */
    BlobObject putObject(
            Bucket known,
            String name,
            BlobObject.Content content,
            NewObject wanted,
            BiConsumer<RowChange, BlobObject> more) {
        quota.require(known.project(), content::bytes);
        return RowChange.commit(
                database(known.project()),
                change -> {
                    long now = now();
                    Versions versions = new Versions(change, Buckets.in(change, known), name, now);
                    BlobObject before = versions.live();
                    wanted.conditions().require(before == null ? null : before.version(), name);
                    BlobObject next =
                            new BlobObject(
                                    known.name(),
                                    name,
                                    Version.first(versions.nextGeneration(before), now),
                                    content,
                                    wanted.attributes());
                    more.accept(change, next);
                    versions.put(before, next);
                    return next;
                });
    }
}
