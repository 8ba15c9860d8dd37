package petrichor.movement.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.movement.replication.ReplicationLink;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.movement.replication.ReplicationRun;
import petrichor.movement.replication.ReplicationStream;
import petrichor.rpc.v1.DescribeReplica;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;

/** Replicas in files that follow a source, and what they contain. */
abstract class FollowingReplica {
    static final Duration WITHIN = Duration.ofSeconds(60);

    @TempDir Path folder;

    final Source source = new Source();

    @AfterEach
    void close() {
        source.close();
    }

    Path file() {
        return folder.resolve("copy.duckdb");
    }

    DuckReplica replica() {
        return new DuckReplica(file(), Duration.ZERO, Optional.empty());
    }

    ReplicationLink link(ReplicaSelection selection, ReplicationOwner target) {
        return new ReplicationLink(
                new ReplicationStream("s1", "copy", Source.PROJECT, "copy", "p at east", selection),
                source,
                target);
    }

    /** Replicates until the target has everything. */
    void follow(ReplicationOwner target) {
        follow(ReplicaSelection.getDefaultInstance(), target);
    }

    void follow(ReplicaSelection selection, ReplicationOwner target) {
        ReplicationLink link = link(selection, target);
        AtomicBoolean wanted = new AtomicBoolean(true);
        ReplicationRun run = new ReplicationRun(link, wanted::get);
        Thread thread = Thread.ofVirtual().start(run::run);
        try {
            await(
                    () -> {
                        ReplicaStatus status = described(link);
                        return status.getCopied()
                                && status.getPosition() >= status.getConsistentFrom()
                                && link.read(status.getPosition(), 0).getCommits() == 0;
                    },
                    run);
        } finally {
            wanted.set(false);
            thread.interrupt();
            join(thread);
        }
    }

    static ReplicaStatus described(ReplicationLink link) {
        try {
            return link.describeTarget();
        } catch (PetrichorException lost) {
            return ReplicaStatus.getDefaultInstance();
        }
    }

    static void await(BooleanSupplier condition, ReplicationRun run) {
        long end = System.nanoTime() + WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s", run.progress()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** The rows of a result, columns divided by a bar. */
    static List<String> query(String database, String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + database);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    columns.add(String.valueOf(result.getString(i)));
                }
                rows.add(String.join("|", columns));
            }
            return rows;
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    List<String> query(String sql) {
        return query(file().toString(), sql);
    }

    static ReplicaStatus described(DuckReplica replica) {
        return replica.ask(describe()).getStatus();
    }

    static ReplicationRequest describe() {
        return ReplicationRequest.newBuilder()
                .setDescribe(DescribeReplica.getDefaultInstance())
                .build();
    }

    void pair(int name, long value) {
        source.put(
                Source.entity("Left", "n" + name).putProperties("value", Source.integer(value)),
                Source.entity("Right", "n" + name).putProperties("value", Source.integer(value)));
    }
}
