package petrichor.movement.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.rpc.v1.DescribeReplica;
import petrichor.rpc.v1.PromoteReplica;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;

/** What must not happen when several replications, or the wrong one, close and open a source. */
class ReplicationSwitchTest {
    private static final ReplicaSelection ALL = ReplicaSelection.getDefaultInstance();

    private static ReplicationLink link(ReplicationOwner source, ReplicationOwner target) {
        return new ReplicationLink(Deployment.stream("s1", ALL), source, target);
    }

    private static ReplicaStatus promote(Deployment target, PromoteReplica.Builder promotion) {
        return target.ask(
                        ReplicationRequest.newBuilder()
                                .setDatabase(Deployment.PROJECT)
                                .setPromote(promotion)
                                .build())
                .getStatus();
    }

    private static void follow(ReplicationLink link) {
        try (RunningStream running = new RunningStream(link)) {
            running.await(() -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
        }
    }

    private static ReplicaStatus status(Deployment deployment) {
        return deployment
                .ask(
                        ReplicationRequest.newBuilder()
                                .setDatabase(Deployment.PROJECT)
                                .setDescribe(DescribeReplica.getDefaultInstance())
                                .build())
                .getStatus();
    }

    @Test
    void onlyOneOfSeveralReplicasTakesThePlaceOfTheSource() {
        try (Deployment source = new Deployment();
                Deployment first = new Deployment();
                Deployment second = new Deployment()) {
            source.put(1, "a");
            ReplicationLink one = link(source, first);
            ReplicationLink other =
                    new ReplicationLink(Deployment.stream("s2", ALL), source, second);
            follow(one);
            follow(other);
            assertThat(one.switchOver()).isPositive();

            assertThatThrownBy(other::switchOver).hasMessageContaining("Another replication");
            assertThatThrownBy(other::reopen).hasMessageContaining("Another replication");

            assertThat(status(second).getRole()).isEqualTo(ReplicaStatus.Role.REPLICA);
            assertThat(status(source).getRole()).isEqualTo(ReplicaStatus.Role.RETIRED);
            first.put(2, "a");
            assertThatThrownBy(() -> source.put(3, "a")).hasMessageContaining("was switched");
            // The one that closed the source may repeat its switch, and does not reopen.
            assertThat(one.switchOver()).isPositive();
            one.requireNoSwitch();
            assertThatThrownBy(one::reopen).hasMessageContaining("is the primary now");
        }
    }

    @Test
    void aSourceThatIsOpenStaysAsItIsWhenItIsReopened() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            source.put(1, "a");
            ReplicationLink link = link(source, target);
            follow(link);
            link.reopen();
            try (RunningStream running = new RunningStream(link)) {
                source.put(2, "a");
                running.awaitEqual(source, target);
            }
            long epoch = link.lead().getLeadership().getEpoch();
            var _ = link.fence("is late", epoch - 1);
            source.put(2, "b");
            var _ = link.fence("is being switched", epoch);
            assertThatThrownBy(link::requireNoSwitch).hasMessageContaining("repeat");
            link.reopen();
            source.put(3, "a");
        }
    }

    @Test
    void aSourceWhoseTargetDoesNotFollowItStaysOpenAtASwitch() {
        try (Deployment source = new Deployment();
                Deployment another = new Deployment();
                Deployment target = new Deployment()) {
            source.put(1, "a");
            ReplicationLink link = link(source, target);
            assertThatThrownBy(link::switchOver).hasMessageContaining("does not follow p");
            source.put(2, "a");
            another.put(7, "theirs");
            var leader = link.lead().getLeadership();
            follow(new ReplicationLink(Deployment.stream("s2", ALL), another, target));

            assertThatThrownBy(link::switchOver).hasMessageContaining("does not follow p");

            source.put(3, "a");
            assertThat(status(target).getRole()).isEqualTo(ReplicaStatus.Role.REPLICA);
            // The target decides for itself too.
            var promotion =
                    PromoteReplica.newBuilder()
                            .setEpoch(leader.getEpoch() + 1)
                            .setLeadership(leader)
                            .setStream("s1");
            assertThatThrownBy(() -> promote(target, promotion))
                    .hasMessageContaining("follows another source");
            var _ = promote(target, PromoteReplica.newBuilder());
            assertThatThrownBy(link::switchOver).hasMessageContaining("does not follow p");
            assertThatThrownBy(() -> promote(target, promotion))
                    .hasMessageContaining("is not a replica");
        }
    }

    @Test
    void aPartOfTheChangesIsNotLargerThanAskedForUnlessItIsOneCommit() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            source.put(1, "a");
            ReplicationLink link = link(source, target);
            follow(link);
            long position = status(target).getPosition();
            source.put(2, "small");
            String[] names = new String[20_000];
            Arrays.setAll(names, i -> "large" + i);
            source.put(3, names);

            var small = link.read(position, 0);
            assertThat(small.getCommits()).isEqualTo(1);
            assertThat(small.getCount()).isEqualTo(1);
            var large = link.read(small.getPosition(), 0);
            assertThat(large.getCommits()).isEqualTo(1);
            assertThat(large.getCount()).isEqualTo(names.length);
            assertThat(large.getPosition()).isEqualTo(large.getNewest());
        }
    }

    @Test
    void aStreamContinuesAfterAnUnexpectedExceptionAndWhenItsSourceIsThePrimaryAgain() {
        try (Deployment east = new Deployment();
                Deployment west = new Deployment()) {
            east.put(1, "a");
            AtomicBoolean broken = new AtomicBoolean(true);
            ReplicationLink link =
                    link(
                            east,
                            request -> {
                                if (broken.get()) {
                                    throw new IllegalStateException("broken");
                                }
                                return west.ask(request);
                            });
            try (RunningStream running = new RunningStream(link)) {
                running.await(() -> running.progress().problem().contains("broken"));
                broken.set(false);
                running.awaitEqual(east, west);
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.FOLLOWING);
                var _ = link.switchOver();
                running.await(
                        () -> running.progress().phase() == ReplicationProgress.Phase.PROMOTED);
                west.put(2, "a");
                ReplicationLink back =
                        new ReplicationLink(Deployment.stream("s2", ALL), west, east);
                follow(back);
                var _ = back.switchOver();
                east.put(3, "a");
                running.awaitEqual(east, west);
            }
        }
    }

    @Test
    void onlyThePrimaryAllocatesIds() {
        try (Deployment source = new Deployment();
                Deployment target = new Deployment()) {
            source.put(1, "a");
            ReplicationLink link = link(source, target);
            follow(link);
            assertThat(allocate(source)).isEqualTo(1);
            assertThatThrownBy(() -> allocate(target)).hasMessageContaining("is a replica of");

            var _ = link.switchOver();

            assertThatThrownBy(() -> allocate(source)).hasMessageContaining("was switched");
            assertThat(allocate(target)).isEqualTo(2);
        }
    }

    private static long allocate(Deployment deployment) {
        return deployment.datastore.allocateIdRange(Deployment.PROJECT, "", 1).first();
    }

    @Test
    void aLongerRangeOfTheReplicaIsReplacedInParts() {
        try (Deployment east = new Deployment();
                Deployment west = new Deployment()) {
            east.put(1, "a");
            ReplicationLink link = link(east, west);
            follow(link);
            var _ = promote(west, PromoteReplica.newBuilder());
            // More than the range of one entity may delete at once.
            for (int i = 0; i < 12; i++) {
                east.put(large("large" + i));
            }
            AtomicInteger ranges = new AtomicInteger();
            ReplicationOwner counted =
                    request -> {
                        if (request.hasRange()) {
                            ranges.incrementAndGet();
                        }
                        return east.ask(request);
                    };
            ReplicationLink back = new ReplicationLink(Deployment.stream("s2", ALL), west, counted);
            try (RunningStream running = new RunningStream(back)) {
                running.awaitEqual(west, east);
            }
            // The source has a single row, which it would send in one range.
            assertThat(ranges.get()).isGreaterThan(1);
        }
    }

    private static Entity large(String name) {
        return Deployment.entity("City", name, 1).toBuilder()
                .putProperties(
                        "text",
                        Value.newBuilder()
                                .setExcludeFromIndexes(true)
                                .setStringValue("x".repeat(1_000_000))
                                .build())
                .build();
    }
}
