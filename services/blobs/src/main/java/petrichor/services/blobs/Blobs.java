package petrichor.services.blobs;

import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.services.blobs.content.BlobContent;
import petrichor.transactions.Databases;

/**
 * The buckets and objects of all projects. Failures are {@link petrichor.base.PetrichorException}:
 * NOT_FOUND for buckets and objects that do not exist, FAILED_PRECONDITION if a precondition does
 * not hold. Calls block: on the store, and on the client that sends or receives content.
 * Thread-safe.
 */
public final class Blobs implements AutoCloseable {
    /** Database with the names of all buckets; no client can address a database of this name. */
    public static final String DIRECTORY = "$system";

    private final BlobStore store;
    private final Buckets buckets;
    private final Objects objects;
    private final Uploads uploads;
    private final FormSessions forms;
    private final SigningKeys keys;
    private final Collector collector;

    /**
     * @param databases current databases, which a reset replaces
     * @param content of the objects; closed with this
     * @param chance unpredictable
     */
    public Blobs(
            Supplier<Databases> databases,
            BlobContent content,
            TimeSource time,
            RandomGenerator chance) {
        this(databases, content, time, chance, StorageQuota.NONE);
    }

    /**
     * @param quota of the bytes of objects: an object that it leaves no room for is not stored
     */
    public Blobs(
            Supplier<Databases> databases,
            BlobContent content,
            TimeSource time,
            RandomGenerator chance,
            StorageQuota quota) {
        this.store =
                new BlobStore(databases, content, time, chance, new UnfinishedContents(), quota);
        this.buckets = new Buckets(store);
        this.objects = new Objects(store, buckets);
        this.uploads = new Uploads(store, buckets);
        this.forms = new FormSessions(store);
        this.keys = new SigningKeys(store);
        this.collector = new Collector(store, buckets);
    }

    public Buckets buckets() {
        return buckets;
    }

    public Objects objects() {
        return objects;
    }

    public Uploads uploads() {
        return uploads;
    }

    public FormSessions forms() {
        return forms;
    }

    public SigningKeys keys() {
        return keys;
    }

    public Collector collector() {
        return collector;
    }

    @Override
    public void close() {
        store.content().close();
    }
}
