package petrichor.bench;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;
import petrichor.kv.WriteBatch;

/**
 * The ceiling of durable commits: a minimal group commit. One thread takes all queued commits,
 * writes them to RocksDB in one synced batch, and answers. No validation, no versions, no reads.
 */
final class BareCommitter implements AutoCloseable {
    private record Commit(List<WriteBatch.Op> ops, CompletableFuture<Void> done) {}

    private static final Commit STOP = new Commit(List.of(), new CompletableFuture<>());

    private final Options options;
    private final RocksDB db;
    private final Map<String, ColumnFamilyHandle> tables = new HashMap<>();
    private final LinkedBlockingQueue<Commit> queue = new LinkedBlockingQueue<>();
    private final Thread thread;

    BareCommitter(Path folder, List<String> tableNames) throws RocksDBException {
        RocksDB.loadLibrary();
        options = new Options().setCreateIfMissing(true);
        db = RocksDB.open(options, folder.toString());
        for (String table : tableNames) {
            tables.put(
                    table,
                    db.createColumnFamily(
                            new ColumnFamilyDescriptor(table.getBytes(StandardCharsets.UTF_8))));
        }
        thread = Thread.ofPlatform().name("bare-committer").start(this::work);
    }

    void commit(List<WriteBatch.Op> ops) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        queue.add(new Commit(ops, done));
        if (!thread.isAlive()) {
            throw new IllegalStateException("the bare committer has ended after a failure");
        }
        done.join();
    }

    private void work() {
        List<Commit> batch = new ArrayList<>();
        try (WriteOptions sync = new WriteOptions().setSync(true)) {
            while (true) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch);
                try (org.rocksdb.WriteBatch writes = new org.rocksdb.WriteBatch()) {
                    for (Commit commit : batch) {
                        for (WriteBatch.Op op : commit.ops()) {
                            add(writes, op);
                        }
                    }
                    db.write(sync, writes);
                }
                batch.forEach(commit -> commit.done().complete(null));
                if (batch.contains(STOP)) {
                    return;
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (RocksDBException | RuntimeException failure) {
            batch.forEach(commit -> commit.done().completeExceptionally(failure));
            queue.drainTo(batch);
            batch.forEach(commit -> commit.done().completeExceptionally(failure));
        }
    }

    private void add(org.rocksdb.WriteBatch writes, WriteBatch.Op op) throws RocksDBException {
        ColumnFamilyHandle table = tables.get(op.table());
        if (table == null) {
            throw new IllegalStateException("a commit wrote to an unexpected table: " + op.table());
        }
        switch (op) {
            case WriteBatch.Put put -> writes.put(table, put.key(), put.value());
            case WriteBatch.Delete delete -> writes.delete(table, delete.key());
            case WriteBatch.DeleteRange range ->
                    throw new IllegalStateException("no commit of the benchmark deletes " + range);
        }
    }

    @Override
    public void close() {
        queue.add(STOP);
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        tables.values().forEach(ColumnFamilyHandle::close);
        db.close();
        options.close();
    }
}
