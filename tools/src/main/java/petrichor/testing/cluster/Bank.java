package petrichor.testing.cluster;

import static petrichor.testing.cluster.LabClient.number;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;

/** Transfers money between accounts; every snapshot must have the same total. */
final class Bank implements Workload {
    private static final String ACCOUNT = "Account";
    private static final String BALANCE = "balance";
    private static final int ACCOUNTS = 12;
    private static final long OPENING_BALANCE = 100;
    private static final Duration FINAL_READ_MAX = Duration.ofSeconds(60);

    private final Findings findings;

    Bank(Findings findings) {
        this.findings = findings;
    }

    @Override
    public String name() {
        return "bank";
    }

    @Override
    public void prepare(LabClient client) {
        boolean opened =
                client.insist(
                        FINAL_READ_MAX,
                        () -> {
                            LabClient.Work work = client.begin();
                            work.lookup(allKeys(client));
                            for (Key key : allKeys(client)) {
                                work.upsert(key, Map.of(BALANCE, number(OPENING_BALANCE)));
                            }
                            return work.commit() == LabClient.Outcome.COMMITTED;
                        });
        if (!opened) {
            throw new IllegalStateException("the accounts could not be opened");
        }
    }

    private static List<Key> allKeys(LabClient client) {
        return client.keys(ACCOUNT, IntStream.range(0, ACCOUNTS).mapToObj(Bank::account).toList());
    }

    private static String account(int number) {
        return "account-" + number;
    }

    @Override
    public boolean step(LabClient client, SplittableRandom chance) {
        try {
            int what = chance.nextInt(4);
            if (what == 0) {
                check(client.query(LabClient.everyOf(ACCOUNT)).values(), "a query");
            } else if (what == 1) {
                check(client.lookup(allKeys(client)).values(), "a lookup");
            }
            return what > 1 && transfer(client, chance);
        } catch (PetrichorException failed) {
            if (!LabClient.explainedByFaults(failed)) {
                findings.add(name(), failed.toString());
            }
            return false;
        }
    }

    private void check(Collection<Entity> accounts, String how) {
        long sum = accounts.stream().mapToLong(account -> number(account, BALANCE)).sum();
        if (accounts.size() != ACCOUNTS || sum != ACCOUNTS * OPENING_BALANCE) {
            findings.add(
                    name(),
                    how
                            + " saw "
                            + sum
                            + " in "
                            + accounts.size()
                            + " accounts instead of "
                            + ACCOUNTS * OPENING_BALANCE
                            + " in "
                            + ACCOUNTS);
        }
    }

    private static boolean transfer(LabClient client, SplittableRandom chance) {
        String from = account(chance.nextInt(ACCOUNTS));
        String to = account(chance.nextInt(ACCOUNTS));
        if (from.equals(to)) {
            return false;
        }
        LabClient.Work work = client.begin();
        Map<String, Entity> both = work.lookup(client.keys(ACCOUNT, List.of(from, to)));
        long amount = 1L + chance.nextInt(9);
        move(client, work, both, from, -amount);
        move(client, work, both, to, amount);
        return work.commit() == LabClient.Outcome.COMMITTED;
    }

    private static void move(
            LabClient client,
            LabClient.Work work,
            Map<String, Entity> accounts,
            String name,
            long amount) {
        Entity account = accounts.get(name);
        if (account == null) {
            throw new IllegalStateException(name + " is gone");
        }
        work.upsert(
                client.key(ACCOUNT, name),
                Map.of(BALANCE, number(number(account, BALANCE) + amount)));
    }

    @Override
    public void judge(LabClient client, boolean last) {
        if (last
                && !client.insist(
                        FINAL_READ_MAX,
                        () -> {
                            check(
                                    client.query(LabClient.everyOf(ACCOUNT)).values(),
                                    "the final read");
                            return true;
                        })) {
            findings.add(name(), "could not be read at the end");
        }
    }
}
