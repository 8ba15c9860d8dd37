package petrichor.testing.crash;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatastoreClient;

/**
 * A client that writes a predictable sequence. Step {@code n} is one commit: both of its {@code
 * Side} entities are set to {@code n}, {@code Item n} is inserted, {@code Item n - 1} changes its
 * bucket, {@code Item n - KEPT} is deleted; every third step also transfers money between two
 * accounts shared with the other writers. After a crash the database must contain exactly step
 * {@code n}, where {@code n} is the last acknowledged step or the next one.
 */
final class Writer {
    static final int KEPT = 10;
    static final int BUCKETS = 7;
    static final int ACCOUNTS = 12;
    static final long OPENING_BALANCE = 1_000;

    private final int number;
    private final SplittableRandom chance;
    private final AtomicLong acknowledged = new AtomicLong();
    private volatile @Nullable PetrichorException stoppedBy;

    Writer(int number, long seed) {
        this.number = number;
        this.chance = new SplittableRandom(seed * 1_000 + number);
    }

    int number() {
        return number;
    }

    /** The last step that was acknowledged, or was found to be committed. */
    long acknowledged() {
        return acknowledged.get();
    }

    void goOnAfter(long step) {
        acknowledged.set(step);
    }

    /** The failure that stopped the writer; null while it writes. */
    @Nullable PetrichorException stoppedBy() {
        return stoppedBy;
    }

    /** Writes until the server fails. */
    void run(DatastoreClient client, AtomicLong acknowledgedByAll) {
        stoppedBy = null;
        while (stoppedBy == null) {
            try {
                commit(client, acknowledged.get() + 1);
                acknowledged.incrementAndGet();
                acknowledgedByAll.incrementAndGet();
            } catch (PetrichorException failed) {
                // After ABORTED nothing was written; after other failures the outcome is unknown.
                if (failed.code() != ErrorCode.ABORTED) {
                    stoppedBy = failed;
                }
            }
        }
    }

    private void commit(DatastoreClient client, long step) {
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(Rows.PROJECT)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .addAllMutations(own(step));
        TransactionOptions readWrite =
                TransactionOptions.newBuilder()
                        .setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance())
                        .build();
        if (step % 3 == 0) {
            request.setTransaction(transfer(client, readWrite, request));
        } else {
            request.setSingleUseTransaction(readWrite);
        }
        client.commit(request.build());
    }

    private List<Mutation> own(long step) {
        List<Mutation> mutations = new ArrayList<>();
        Map<String, Long> side = Map.of("client", (long) number, "step", step);
        mutations.add(Rows.upsert(left(), side));
        mutations.add(Rows.upsert(right(), side));
        mutations.add(Rows.insert(item(step), itemNumbers(step, step)));
        if (step > 1) {
            mutations.add(Rows.upsert(item(step - 1), itemNumbers(step - 1, step)));
        }
        if (step > KEPT) {
            mutations.add(Rows.delete(item(step - KEPT)));
        }
        return mutations;
    }

    Key left() {
        return Rows.key("Side", "left-" + number);
    }

    Key right() {
        return Rows.key("Side", "right-" + number);
    }

    Key item(long step) {
        return Rows.key("Item", number + "-" + step);
    }

    /** An item at some step: the newest item and the one before are in different buckets. */
    Map<String, Long> itemNumbers(long item, long asOfStep) {
        long moved = item < asOfStep ? 1 : 0;
        return Map.of("client", (long) number, "item", item, "bucket", (item + moved) % BUCKETS);
    }

    /** The expected items after a step. */
    List<Entity> itemsAfter(long step) {
        List<Entity> items = new ArrayList<>();
        for (long item = Math.max(1, step - KEPT + 1); item <= step; item++) {
            items.add(Rows.entity(item(item), itemNumbers(item, step)));
        }
        return items;
    }

    /** Adds the new balances to the request; returns the transaction that read the old ones. */
    private ByteString transfer(
            DatastoreClient client, TransactionOptions readWrite, CommitRequest.Builder request) {
        int from = chance.nextInt(ACCOUNTS);
        int to = (from + 1 + chance.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        long amount = 1 + chance.nextLong(9);
        LookupResponse read =
                client.lookup(
                        LookupRequest.newBuilder()
                                .setProjectId(Rows.PROJECT)
                                .setReadOptions(
                                        ReadOptions.newBuilder().setNewTransaction(readWrite))
                                .addKeys(account(from))
                                .addKeys(account(to))
                                .build());
        for (EntityResult result : read.getFoundList()) {
            Entity account = result.getEntity();
            boolean pays = account.getKey().getPath(0).getName().equals("account-" + from);
            long balance = Rows.number(account, "balance") + (pays ? -amount : amount);
            request.addMutations(Rows.upsert(account.getKey(), Map.of("balance", balance)));
        }
        return read.getTransaction();
    }

    static Key account(int number) {
        return Rows.key("Account", "account-" + number);
    }
}
