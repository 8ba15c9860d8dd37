import com.scalar.db.api.CrudOperable;
import com.scalar.db.api.DistributedTransaction;
import com.scalar.db.api.DistributedTransactionAdmin;
import com.scalar.db.api.DistributedTransactionManager;
import com.scalar.db.api.Get;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.api.Upsert;
import com.scalar.db.exception.transaction.TransactionException;
import com.scalar.db.exception.transaction.UnknownTransactionStatusException;
import com.scalar.db.io.DataType;
import com.scalar.db.io.Key;
import com.scalar.db.service.TransactionFactory;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.SplittableRandom;

/**
 * Clients of ScalarDB, or of the database itself by SQL, for {@code petrichor bench transactions}.
 * Started with a file of ScalarDB's properties; with {@code transfers.by=sql} the same addresses are
 * used by JDBC. Takes one command a line and answers each with one line:
 *
 * <pre>
 * load ROWS                    makes the table anew, fills it          loaded
 * transfer CLIENTS ROWS MS     read-modify-write of two of ROWS rows   COMMITS SECONDS P50_US P99_US LOST SLOWEST_SHARE
 * sum ROWS                     what all rows hold together             SUM
 * </pre>
 *
 * A transaction that loses is repeated until it commits; its latency is that of all attempts.
 */
public final class TransferClients {
    private static final String NAMESPACE = "petrichor_bench";
    private static final String TABLE = "accounts";
    private static final String ID = "id";
    private static final String BALANCE = "balance";
    private static final int BALANCE_AT_FIRST = 1_000;
    private static final int LOADED_AT_ONCE = 10;
    private static final int LOADERS = 32;

    /** Rows with a balance each. Safe for any thread. */
    private interface Bank {
        /** Makes the table anew and fills it. */
        void load(int rows) throws Exception;

        /** Opens what so many clients need, before their time is measured. */
        void prepare(int clients) throws Exception;

        /** Moves 1 from one row to another; false if the transaction lost against others. */
        boolean moved(int from, int to) throws Exception;

        long balance(int id) throws Exception;
    }

    private final Bank bank;

    private TransferClients(Bank bank) {
        this.bank = bank;
    }

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        try (Reader file = new FileReader(arguments[0], StandardCharsets.UTF_8)) {
            properties.load(file);
        }
        TransferClients clients =
                new TransferClients(
                        properties.getProperty("transfers.by", "").equals("sql")
                                ? new SqlBank(properties)
                                : new ScalarDbBank(properties));
        BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            System.out.println(
                    switch (words[0]) {
                        case "load" -> {
                            clients.bank.load(Integer.parseInt(words[1]));
                            yield "loaded";
                        }
                        case "transfer" ->
                                clients.transfer(
                                        Integer.parseInt(words[1]),
                                        Integer.parseInt(words[2]),
                                        Long.parseLong(words[3]));
                        case "sum" -> clients.sum(Integer.parseInt(words[1]));
                        default -> "unknown command " + words[0];
                    });
        }
        System.exit(0);
    }

    private String sum(int rows) throws Exception {
        long sum = 0;
        for (int id = 0; id < rows; id++) {
            sum += bank.balance(id);
        }
        return Long.toString(sum);
    }

    private String transfer(int clients, int rows, long millis) throws Exception {
        bank.prepare(clients);
        CountDownLatch start = new CountDownLatch(1);
        AtomicLong lost = new AtomicLong();
        long[] deadline = new long[1];
        long[][] latencies = new long[clients][];
        Thread[] threads = new Thread[clients];
        for (int i = 0; i < clients; i++) {
            int client = i;
            threads[i] =
                    new Thread(
                            () -> {
                                try {
                                    start.await();
                                    latencies[client] = run(client, rows, deadline[0], lost);
                                } catch (Exception failure) {
                                    failure.printStackTrace();
                                    latencies[client] = new long[0];
                                }
                            });
            threads[i].start();
        }
        long began = System.nanoTime();
        deadline[0] = began + millis * 1_000_000;
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        long[] all = Arrays.stream(latencies).flatMapToLong(Arrays::stream).sorted().toArray();
        if (all.length == 0) {
            return "nothing was committed";
        }
        int least = Arrays.stream(latencies).mapToInt(own -> own.length).min().orElse(0);
        return String.format(
                Locale.ROOT,
                "%d %.4f %.1f %.1f %d %.3f",
                all.length,
                seconds,
                all[all.length / 2] / 1e3,
                all[(int) Math.min(all.length - 1L, all.length * 99L / 100)] / 1e3,
                lost.get(),
                (double) least * clients / all.length);
    }

    private long[] run(int client, int rows, long deadline, AtomicLong lost) throws Exception {
        SplittableRandom random = new SplittableRandom(client);
        long[] taken = new long[1024];
        int count = 0;
        while (System.nanoTime() < deadline) {
            int from = random.nextInt(rows);
            int to = (from + 1 + random.nextInt(rows - 1)) % rows;
            long began = System.nanoTime();
            while (!bank.moved(from, to)) {
                lost.incrementAndGet();
            }
            if (count == taken.length) {
                taken = Arrays.copyOf(taken, count * 2);
            }
            taken[count++] = System.nanoTime() - began;
        }
        return Arrays.copyOf(taken, count);
    }

    private static final class ScalarDbBank implements Bank {
        private final TransactionFactory factory;

        /** Opened when the table is there: on Cassandra an older one does not hear of it in time. */
        private DistributedTransactionManager manager;

        ScalarDbBank(Properties properties) {
            factory = TransactionFactory.create(properties);
        }

        @Override
        public void load(int rows) throws Exception {
            // Only Cassandra looks at these.
            Map<String, String> options =
                    Map.of("replication-strategy", "SimpleStrategy", "replication-factor", "1");
            DistributedTransactionAdmin admin = factory.getTransactionAdmin();
            admin.createCoordinatorTables(true, options);
            admin.createNamespace(NAMESPACE, true, options);
            TableMetadata table =
                    TableMetadata.newBuilder()
                            .addColumn(ID, DataType.INT)
                            .addColumn(BALANCE, DataType.INT)
                            .addPartitionKey(ID)
                            .build();
            admin.createTable(NAMESPACE, TABLE, table, true, options);
            admin.truncateTable(NAMESPACE, TABLE);
            admin.close();
            manager = factory.getTransactionManager();
            // One row after the other takes minutes where each is written conditionally.
            try (ExecutorService writers = Executors.newFixedThreadPool(LOADERS)) {
                List<Future<?>> loaded = new ArrayList<>();
                for (int from = 0; from < rows; from += LOADED_AT_ONCE) {
                    int first = from;
                    int end = Math.min(rows, from + LOADED_AT_ONCE);
                    loaded.add(
                            writers.submit(
                                    () -> {
                                        DistributedTransaction transaction = manager.begin();
                                        for (int id = first; id < end; id++) {
                                            transaction.upsert(row(id, BALANCE_AT_FIRST));
                                        }
                                        transaction.commit();
                                        return null;
                                    }));
                }
                for (Future<?> one : loaded) {
                    one.get();
                }
            }
        }

        /** ScalarDB has its own pool of connections. */
        @Override
        public void prepare(int clients) {}

        @Override
        public long balance(int id) throws TransactionException {
            DistributedTransaction transaction = manager.begin();
            long balance = transaction.get(get(id)).orElseThrow().getInt(BALANCE);
            transaction.commit();
            return balance;
        }

        @Override
        public boolean moved(int from, int to) throws TransactionException {
            DistributedTransaction transaction = manager.begin();
            try {
                List<CrudOperable.BatchResult> read =
                        transaction.batch(List.of(get(from), get(to)));
                int source = read.get(0).getGetResult().orElseThrow().getInt(BALANCE);
                int target = read.get(1).getGetResult().orElseThrow().getInt(BALANCE);
                transaction.mutate(List.of(row(from, source - 1), row(to, target + 1)));
                transaction.commit();
                return true;
            } catch (UnknownTransactionStatusException unknown) {
                throw unknown;
            } catch (TransactionException conflict) {
                transaction.abort();
                return false;
            }
        }

        private static Get get(int id) {
            return Get.newBuilder()
                    .namespace(NAMESPACE)
                    .table(TABLE)
                    .partitionKey(Key.ofInt(ID, id))
                    .build();
        }

        private static Upsert row(int id, int balance) {
            return Upsert.newBuilder()
                    .namespace(NAMESPACE)
                    .table(TABLE)
                    .partitionKey(Key.ofInt(ID, id))
                    .intValue(BALANCE, balance)
                    .build();
        }
    }

    /** One connection per client, kept; plain serializable transactions of the database. */
    private static final class SqlBank implements Bank {
        private static final String NAME = NAMESPACE + "_" + TABLE;

        private final Properties properties;
        private final BlockingDeque<Session> idle = new LinkedBlockingDeque<>();

        private record Session(Connection connection, PreparedStatement read, PreparedStatement write) {}

        SqlBank(Properties properties) {
            this.properties = properties;
        }

        private Connection connect() throws SQLException {
            Connection connection =
                    DriverManager.getConnection(
                            properties.getProperty("scalar.db.contact_points"),
                            properties.getProperty("scalar.db.username"),
                            properties.getProperty("scalar.db.password"));
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            return connection;
        }

        @Override
        public void prepare(int clients) throws SQLException {
            while (idle.size() < clients) {
                Connection connection = connect();
                idle.addFirst(
                        new Session(
                                connection,
                                connection.prepareStatement(
                                        "SELECT balance FROM " + NAME + " WHERE id = ?"),
                                connection.prepareStatement(
                                        "UPDATE " + NAME + " SET balance = ? WHERE id = ?")));
            }
        }

        @Override
        public void load(int rows) throws SQLException {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS " + NAME);
                statement.execute(
                        "CREATE TABLE " + NAME + " (id INT PRIMARY KEY, balance INT NOT NULL)");
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + NAME + " VALUES (?, ?)")) {
                    for (int id = 0; id < rows; id++) {
                        insert.setInt(1, id);
                        insert.setInt(2, BALANCE_AT_FIRST);
                        insert.addBatch();
                    }
                    insert.executeBatch();
                }
                connection.commit();
            }
        }

        @Override
        public boolean moved(int from, int to) throws Exception {
            Session session = idle.takeFirst();
            try {
                return moved(session, from, to);
            } finally {
                idle.addFirst(session);
            }
        }

        private static boolean moved(Session session, int from, int to) throws SQLException {
            try {
                int source = balance(session, from);
                int target = balance(session, to);
                write(session, from, source - 1);
                write(session, to, target + 1);
                session.connection().commit();
                return true;
            } catch (SQLException failed) {
                session.connection().rollback();
                // Serialization failures and deadlocks, which the caller repeats.
                if (failed.getSQLState() != null && failed.getSQLState().startsWith("40")) {
                    return false;
                }
                throw failed;
            }
        }

        private static int balance(Session session, int id) throws SQLException {
            session.read().setInt(1, id);
            try (ResultSet row = session.read().executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }

        private static void write(Session session, int id, int balance) throws SQLException {
            session.write().setInt(1, balance);
            session.write().setInt(2, id);
            session.write().executeUpdate();
        }

        @Override
        public long balance(int id) throws Exception {
            Session session = idle.takeFirst();
            try {
                long balance = balance(session, id);
                session.connection().commit();
                return balance;
            } finally {
                idle.addFirst(session);
            }
        }
    }
}
