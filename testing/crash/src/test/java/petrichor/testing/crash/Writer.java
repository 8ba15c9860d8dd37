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
import petrichor.movement.DatastoreClient;

/**
 * A client that writes a sequence anybody can predict. Step {@code n} is one commit: both of its
 * {@code Side} entities say {@code n}, {@code Item n} is inserted, {@code Item n - 1} changes its
 * bucket, {@code Item n - KEPT} is deleted; every third step also moves money between two accounts
 * that it shares with the other writers. So after a crash the database shows step {@code n} as a
 * whole, for an {@code n} that is the last one acknowledged or the one after it.
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

    /** The last step the server said yes to, or was found to have taken. */
    long acknowledged() {
        return acknowledged.get();
    }

    void goOnAfter(long step) {
        acknowledged.set(step);
    }

    /** Why it stopped; null while it writes. */
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
                // A loser of a conflict knows that nothing was written; the others know nothing.
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

    /** An item as of some step: the newest and the one before are in other buckets. */
    Map<String, Long> itemNumbers(long item, long asOfStep) {
        long moved = item < asOfStep ? 1 : 0;
        return Map.of("client", (long) number, "item", item, "bucket", (item + moved) % BUCKETS);
    }

    /** What is there after a step. */
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
