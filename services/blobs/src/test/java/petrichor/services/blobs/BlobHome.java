package petrichor.services.blobs;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.ContentReader;
import petrichor.services.blobs.content.FolderContent;
import petrichor.services.blobs.content.RowContent;
import petrichor.transactions.databases.RowDatabases;

/** The service over a store, with a clock that tests set. */
final class BlobHome implements AutoCloseable, TimeSource {
    final Blobs blobs;
    final BlobContent content;
    final RowDatabases databases;
    private final KeyValueStore store;
    private final AtomicLong micros = new AtomicLong(TimeSource.SYSTEM.epochMicros());

    /** In memory. */
    BlobHome() {
        this(MemoryStore.open(), null);
    }

    /**
     * @param folder for the content; null for rows
     */
    BlobHome(KeyValueStore store, @Nullable Path folder) {
        this.store = store;
        this.databases = new RowDatabases(store);
        this.content =
                folder == null
                        ? new RowContent(() -> databases, 1 << 20)
                        : FolderContent.open(folder);
        this.blobs = new Blobs(() -> databases, content, this, new Random());
    }

    @Override
    public long epochMicros() {
        return micros.incrementAndGet();
    }

    @Override
    public long monotonicNanos() {
        return micros.get() * 1_000;
    }

    void pass(java.time.Duration time) {
        micros.addAndGet(time.toNanos() / 1_000);
    }

    BlobObject put(String bucket, String name, String text) {
        return put(bucket, name, bytes(text), NewObject.of(ObjectAttributes.ofType("text/plain")));
    }

    BlobObject put(String bucket, String name, byte[] bytes, NewObject wanted) {
        try (ObjectWriter writer = blobs.objects().create(bucket, name, wanted)) {
            writer.write(bytes, 0, bytes.length);
            return writer.finish();
        }
    }

    byte[] read(BlobObject object) {
        return read(object, 0, object.bytes());
    }

    byte[] read(BlobObject object, long from, long to) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (ContentReader reader = blobs.objects().read(object, from, to)) {
            for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                all.writeBytes(piece);
            }
        }
        return all.toByteArray();
    }

    String text(String bucket, String name) {
        return new String(read(blobs.objects().get(bucket, name, null)), StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        blobs.close();
        databases.close();
        store.close();
    }
}
