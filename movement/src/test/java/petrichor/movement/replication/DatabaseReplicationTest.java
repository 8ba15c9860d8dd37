package petrichor.movement.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.rpc.v1.DescribeReplica;
import petrichor.rpc.v1.PromoteReplica;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse.Outcome;
import petrichor.tables.StoredTables;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;

/** Two deployments in one process, with lost requests and lost answers. */
class DatabaseReplicationTest {
    private static final ReplicaSelection ALL = ReplicaSelection.getDefaultInstance();

    private static ReplicationLink link(ReplicationOwner source, ReplicationOwner target) {
        return new ReplicationLink(Deployment.stream("s1", ALL), source, target);
    }

    /** Loses requests and answers. */
    private static ReplicationOwner unreliable(ReplicationOwner owner, long seed) {
        Random random = new Random(seed);
        return request -> {
            int fault;
            synchronized (random) {
                fault = random.nextInt(16);
            }
            if (fault == 0) {
                throw PetrichorException.of(ErrorCode.UNAVAILABLE, "the request was lost");
            }
            var answer = owner.ask(request);
            if (fault == 1) {
                throw PetrichorException.of(ErrorCode.UNAVAILABLE, "the answer was lost");
            }
            return answer;
        };
    }

    @Test
    void existingDataIsCopiedAndEveryLaterCommitFollows() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            for (int i = 0; i < 3_000; i++) {
                source.put(i, "city" + i);
            }
            try (RunningStream running = new RunningStream(link(source, target))) {
                for (int i = 0; i < 500; i++) {
                    source.put(-i, "city" + i * 5);
                    source.delete("city" + i * 3);
                }
                running.awaitEqual(source, target);
                ReplicaStatus status = link(source, target).describeTarget();
                assertThat(status.getCopied()).isTrue();
                assertThat(status.getDuplicates()).isZero();
                assertThatThrownBy(() -> target.put(1, "city1"))
                        .hasMessageContaining("is a replica of p at east");
            }
        }
    }

    @Test
    void transactionsArriveWholeAndOnceThoughRequestsAndAnswersAreLost() {
        for (long seed = 1; seed <= 3; seed++) {
            try (Deployment source = new Deployment();
                    Deployment target = new Deployment()) {
                source.put(0, "a", "b");
                long number = seed;
                ReplicationLink link =
                        link(unreliable(source, seed), unreliable(target, number + 100));
                AtomicBoolean torn = new AtomicBoolean();
                try (RunningStream running = new RunningStream(link)) {
                    for (int i = 1; i <= 300; i++) {
                        source.put(i, "a", "b", "c" + i % 7);
                        torn.compareAndSet(false, isTorn(target));
                    }
                    running.awaitEqual(source, target);
                    assertThat(running.progress().retries()).isPositive();
                }
                assertThat(torn).as("seed %s", seed).isFalse();
            }
        }
    }

    /** Whether a snapshot shows a part of a transaction, once the copy is complete. */
    private static boolean isTorn(Deployment target) {
        var status = target.ask(describe()).getStatus();
        if (!status.getCopied() || status.getPosition() < status.getConsistentFrom()) {
            return false;
        }
        var content = target.content();
        String a = content.get("City:\"a\"");
        String b = content.get("City:\"b\"");
        return a != null && b != null && !value(a).equals(value(b));
    }

    private static String value(String entity) {
        return entity.substring(entity.indexOf(' '));
    }

    private static ReplicationRequest describe() {
        return ReplicationRequest.newBuilder()
                .setDatabase(Deployment.PROJECT)
                .setDescribe(DescribeReplica.getDefaultInstance())
                .build();
    }

    @Test
    void aBatchThatArrivesAgainIsCountedAndNotApplied() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            source.put(1, "a");
            ReplicationLink link = link(source, target);
            ReplicaStatus before;
            try (RunningStream running = new RunningStream(link)) {
                running.awaitEqual(source, target);
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
                before = link.describeTarget();
            }
            source.put(2, "a");
            var batch = link.read(before.getPosition(), 0);
            var leader = link.lead().getLeadership();
            var _ = link.apply(leader, before.getPosition(), batch);
            source.put(3, "a");
            long value3 = link.read(before.getPosition(), 0).getPosition();

            // Overlaps with what was applied.
            var again =
                    link.apply(leader, before.getPosition(), link.read(before.getPosition(), 0));

            assertThat(again.getStatus().getPosition()).isEqualTo(value3);
            assertThat(again.getStatus().getDuplicates()).isEqualTo(1);
            assertThat(again.getStatus().getCommits() - before.getCommits()).isEqualTo(2);
            assertThat(target.content()).isEqualTo(source.content());
            var repeated = link.apply(leader, before.getPosition(), batch);
            assertThat(repeated.getStatus().getDuplicates()).isEqualTo(2);
            assertThat(target.content()).isEqualTo(source.content());
            // A gap is not applied.
            source.put(4, "a");
            var gap = link.apply(leader, value3 + 1, link.read(value3, 0));
            assertThat(gap.getOutcome()).isEqualTo(Outcome.ELSEWHERE);
        }
    }

    @Test
    void aSwitchLosesNothingAndTheFormerSourceFollowsInTheOtherDirection() {
        try (Deployment east = new Deployment();
                Deployment west = new Deployment()) {
            east.put(1, "a");
            ReplicationLink link = link(east, west);
            try (RunningStream running = new RunningStream(link)) {
                running.awaitEqual(east, west);
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
                east.put(2, "a", "b");
                assertThat(link.switchOver()).isPositive();
                assertThat(west.content()).isEqualTo(east.content());
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.PROMOTED);
            }
            assertThatThrownBy(() -> east.put(3, "a")).hasMessageContaining("was switched");
            west.put(4, "a");
            ReplicationLink back = new ReplicationLink(Deployment.stream("s2", ALL), west, east);
            try (RunningStream running = new RunningStream(back)) {
                running.awaitEqual(west, east);
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
                var _ = back.switchOver();
            }
            east.put(5, "a");
            assertThatThrownBy(() -> west.put(6, "a")).hasMessageContaining("was switched");
        }
    }

    @Test
    void aPromotedReplicaFencesTheSourceThatComesBack() {
        try (Deployment east = new Deployment();
                Deployment west = new Deployment()) {
            east.put(1, "a");
            ReplicationLink link = link(east, west);
            long position;
            try (RunningStream running = new RunningStream(link)) {
                running.awaitEqual(east, west);
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
                position = link.describeTarget().getPosition();
            }
            var leader = link.lead().getLeadership();
            // The source is lost; it has a commit that the replica does not have.
            east.put(2, "lost");
            var late = link.read(position, 0);
            var promoted = promote(west, 0);
            assertThat(promoted.getRole()).isEqualTo(ReplicaStatus.Role.PRIMARY);
            west.put(3, "a");

            assertThat(link.apply(leader, position, late).getOutcome()).isEqualTo(Outcome.FENCED);
            try (RunningStream running = new RunningStream(link)) {
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.PROMOTED);
            }
            assertThatThrownBy(() -> east.put(4, "a")).hasMessageContaining("in epoch 2");
            assertThat(west.content()).doesNotContainKey("City:\"lost\"");
            // The way back replaces what only the former source has, and counts it.
            ReplicationLink back = new ReplicationLink(Deployment.stream("s2", ALL), west, east);
            try (RunningStream running = new RunningStream(back)) {
                running.awaitEqual(west, east);
                assertThat(back.describeTarget().getReplaced()).isEqualTo(2);
            }
        }
    }

    private static ReplicaStatus promote(Deployment target, long epoch) {
        return target.ask(
                        ReplicationRequest.newBuilder()
                                .setDatabase(Deployment.PROJECT)
                                .setPromote(PromoteReplica.newBuilder().setEpoch(epoch))
                                .build())
                .getStatus();
    }

    @Test
    void aReopenedSourceCannotBeReplacedByAPromotionThatIsStillUnderWay() {
        try (Deployment east = new Deployment();
                Deployment west = new Deployment()) {
            east.put(1, "a");
            ReplicationLink link = link(east, west);
            try (RunningStream running = new RunningStream(link)) {
                running.awaitEqual(east, west);
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
                long epoch = link.lead().getLeadership().getEpoch();
                var _ = link.fence("is being switched", epoch);
                assertThatThrownBy(() -> east.put(2, "a")).hasMessage("is being switched");
                link.reopen();
                east.put(3, "a");
                assertThatThrownBy(() -> promote(west, epoch + 1))
                        .hasMessageContaining("later epoch");
                running.awaitEqual(east, west);
            }
        }
    }

    @Test
    void filtersAndMasksApplyAndAPartialReplicaIsNotPromoted() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            source.put(Deployment.entity("City", "oslo", 1));
            source.put(Deployment.entity("Person", "anna", 1));
            ReplicationLink link =
                    new ReplicationLink(
                            Deployment.stream(
                                    "s1",
                                    ReplicaSelection.newBuilder()
                                            .addKinds("City")
                                            .addMasks("City.secret")
                                            .build()),
                            source,
                            target);
            try (RunningStream running = new RunningStream(link)) {
                source.put(Deployment.entity("City", "rome", 2));
                source.put(Deployment.entity("Person", "ben", 2));
                running.await(() -> target.content().containsKey("City:\"rome\""));
                running.await(() -> target.content().containsKey("City:\"oslo\""));
                String all = target.content().toString();
                assertThat(all).doesNotContain("Person").doesNotContain("s1").doesNotContain("s2");
                assertThatThrownBy(() -> promote(target, 0)).hasMessageContaining("partial copy");
                assertThatThrownBy(link::switchOver).hasMessageContaining("filters or masks");
            }
        }
    }

    @Test
    void aTargetWithOtherDataIsRefused() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            source.put(1, "a");
            target.put(7, "theirs");
            try (RunningStream running = new RunningStream(link(source, target))) {
                running.await(() -> running.progress().problem().contains("has data already"));
            }
            assertThat(target.content()).containsKey("City:\"theirs\"");
        }
    }

    @Test
    void aReplicaWhoseChangesAreGoneIsCopiedAgain() {
        try (Deployment source =
                        new Deployment(
                                TransactionLimits.DEFAULT
                                        .withRetention(Duration.ofMillis(1))
                                        .withConsumerHold(Duration.ofMillis(1)));
                Deployment target = new Deployment()) {
            source.put(1, "a", "gone");
            ReplicationLink link = link(source, target);
            try (RunningStream running = new RunningStream(link)) {
                running.awaitEqual(source, target);
            }
            // Without a run, the position of the replica becomes unknown to the source.
            var leader = link.lead().getLeadership();
            var _ = link.apply(leader, 0, link.read(link.describeTarget().getPosition(), 0));
            source.delete("gone");
            moveReplicaTo(target, Long.MAX_VALUE / 2);
            try (RunningStream running = new RunningStream(link)) {
                running.awaitEqual(source, target);
                assertThat(running.progress().copies()).isEqualTo(1);
            }
        }
    }

    /** As after a restore of the source to an earlier time. */
    private static void moveReplicaTo(Deployment target, long position) {
        try (Snapshot snapshot = target.rows().snapshot()) {
            StoredStatus before = StoredStatus.read(snapshot);
            assertThat(
                            StoredStatus.committed(
                                    target.rows(),
                                    new CommitRequest(
                                            snapshot.version(),
                                            List.of(),
                                            List.of(),
                                            List.of(),
                                            List.of()),
                                    before.next(
                                            before.status().toBuilder()
                                                    .setPosition(position)
                                                    .build(),
                                            "replica")))
                    .isTrue();
        }
    }

    @Test
    void rowsOfTablesFollow() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            byte[] key = StoredTables.rows().from().clone();
            byte[] row = Arrays.copyOf(key, key.length + 9);
            source.put(1, "a");
            commitRow(source, row, new byte[] {1});
            try (RunningStream running = new RunningStream(link(source, target))) {
                running.await(() -> tableRows(target) == 1);
                commitRow(source, Arrays.copyOf(row, row.length + 1), new byte[] {2});
                running.await(() -> tableRows(target) == 2);
            }
        }
    }

    private static void commitRow(Deployment deployment, byte[] key, byte[] value) {
        try (Snapshot snapshot = deployment.rows().snapshot()) {
            var _ =
                    deployment
                            .rows()
                            .commit(
                                    new CommitRequest(
                                            snapshot.version(),
                                            List.of(),
                                            List.of(),
                                            List.of(key),
                                            List.of(new RowWrite(key, value, null))))
                            .join();
        }
    }

    private static int tableRows(Deployment deployment) {
        int count = 0;
        try (Snapshot snapshot = deployment.rows().snapshot();
                RowCursor cursor = snapshot.scan(StoredTables.rows(), Direction.FORWARD)) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }
}
