package petrichor.cloud.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.cloud.Cloud;
import petrichor.cloud.Description;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InstanceType;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Listing;
import petrichor.cloud.TerminateResult;

/** Conformance tests of {@link Cloud}. */
public interface CloudConformance {
    LeaseTag TAG = new LeaseTag("conformance", "a test");

    CloudUnderTest underTest() throws Exception;

    @Test
    default void typesHaveNamesOfTheirOwn() throws Exception {
        try (CloudUnderTest under = underTest()) {
            List<InstanceType> types = under.cloud().types();
            assertThat(types).isNotEmpty();
            Set<String> names = new HashSet<>();
            types.forEach(type -> assertThat(names.add(type.name())).as(type.name()).isTrue());
        }
    }

    @Test
    default void aLaunchedMachineComesToRun() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance launched = launch(cloud, "token-00001");
            assertThat(launched.tag()).isEqualTo(TAG);
            assertThat(launched.token()).isEqualTo("token-00001");
            under.until("it runs", () -> state(cloud, launched) == InstanceState.RUNNING);
            assertThat(known(cloud, launched).orElseThrow().running()).isPresent();
        }
    }

    @Test
    default void aLaunchedMachineIsListedUnderItsOwner() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance launched = launch(cloud, "token-00001");
            under.until("it is listed", () -> listed(cloud, TAG.owner()).contains(launched.id()));
            assertThat(listed(cloud, "another owner")).isEmpty();
        }
    }

    @Test
    default void theSameTokenGivesTheSameMachine() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance first = launch(cloud, "token-00001");
            assertThat(launch(cloud, "token-00001").id()).isEqualTo(first.id());
            Instance other = launch(cloud, "token-00002");
            assertThat(other.id()).isNotEqualTo(first.id());
            under.until(
                    "both are listed",
                    () -> listed(cloud, TAG.owner()).equals(Set.of(first.id(), other.id())));
        }
    }

    @Test
    default void theTokenOfAnEndedMachineGivesNoSecondOne() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance first = launch(cloud, "token-00001");
            end(under, cloud, first);
            Instance again = launch(cloud, "token-00001");
            assertThat(again.id()).isEqualTo(first.id());
            assertThat(again.state().alive()).isFalse();
        }
    }

    @Test
    default void anEndedMachineStaysGone() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance launched = launch(cloud, "token-00001");
            under.until("it runs", () -> state(cloud, launched) == InstanceState.RUNNING);
            end(under, cloud, launched);
            assertThat(cloud.terminate(launched.id())).isInstanceOf(TerminateResult.Gone.class);
            under.until(
                    "no listing shows it as running",
                    () -> known(cloud, launched).map(i -> !i.state().alive()).orElse(true));
        }
    }

    @Test
    default void aMachineCanBeEndedBeforeItRuns() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance launched = launch(cloud, "token-00001");
            assertThat(cloud.terminate(launched.id()))
                    .isNotInstanceOf(TerminateResult.Unknown.class);
            end(under, cloud, launched);
        }
    }

    @Test
    default void anUnknownMachineIsGoneAndMissing() throws Exception {
        try (CloudUnderTest under = underTest()) {
            assertThat(under.cloud().terminate("i-never-was"))
                    .isInstanceOf(TerminateResult.Gone.class);
            assertThat(under.cloud().describe("i-never-was"))
                    .isInstanceOf(Description.Missing.class);
        }
    }

    @Test
    default void aTypeThatIsNotOfferedIsRefused() throws Exception {
        try (CloudUnderTest under = underTest()) {
            assertThat(under.cloud().launch(LaunchRequest.onDemand("token-00001", "no.such", TAG)))
                    .isInstanceOfSatisfying(
                            LaunchResult.Refused.class,
                            refused -> assertThat(refused.reason()).contains("no.such"));
            assertThat(listed(under.cloud(), TAG.owner())).isEmpty();
        }
    }

    @Test
    default void aReopenedCloudListsLeasedMachines() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud before = under.cloud();
            Instance running = launch(before, "token-00001");
            under.until("it runs", () -> state(before, running) == InstanceState.RUNNING);
            Instance pending = launch(before, "token-00002");
            try (Cloud after = under.reopen()) {
                under.until(
                        "both are found",
                        () ->
                                listed(after, TAG.owner())
                                        .equals(Set.of(running.id(), pending.id())));
                assertThat(launch(after, "token-00001").id()).isEqualTo(running.id());
                assertThat(launch(after, "token-00002").id()).isEqualTo(pending.id());
                end(under, after, running);
                end(under, after, pending);
            }
        }
    }

    @Test
    default void statesNeverGoBack() throws Exception {
        try (CloudUnderTest under = underTest()) {
            Cloud cloud = under.cloud();
            Instance launched = launch(cloud, "token-00001");
            InstanceState[] last = {InstanceState.PENDING};
            under.until(
                    "it runs",
                    () -> {
                        InstanceState now = state(cloud, launched);
                        assertThat(last[0].mayBecome(now)).as(last[0] + " to " + now).isTrue();
                        last[0] = now;
                        return now == InstanceState.RUNNING;
                    });
            cloud.terminate(launched.id());
            under.until(
                    "it has ended",
                    () -> {
                        InstanceState now =
                                known(cloud, launched)
                                        .map(Instance::state)
                                        .orElse(InstanceState.TERMINATED);
                        assertThat(last[0].mayBecome(now)).as(last[0] + " to " + now).isTrue();
                        last[0] = now;
                        return now == InstanceState.TERMINATED;
                    });
        }
    }

    private static Instance launch(Cloud cloud, String token) {
        InstanceType type = cloud.types().getFirst();
        LaunchResult result = cloud.launch(LaunchRequest.onDemand(token, type.name(), TAG));
        assertThat(result).isInstanceOf(LaunchResult.Launched.class);
        return ((LaunchResult.Launched) result).instance();
    }

    private static void end(CloudUnderTest under, Cloud cloud, Instance instance) {
        under.until(
                instance.id() + " is gone",
                () -> cloud.terminate(instance.id()) instanceof TerminateResult.Gone);
    }

    /** A missing machine may be too new to be listed; then it is pending. */
    private static InstanceState state(Cloud cloud, Instance instance) {
        return known(cloud, instance).map(Instance::state).orElse(InstanceState.PENDING);
    }

    private static Optional<Instance> known(Cloud cloud, Instance instance) {
        return switch (cloud.describe(instance.id())) {
            case Description.Known known -> Optional.of(known.instance());
            case Description.Missing _, Description.NotNow _ -> Optional.empty();
        };
    }

    private static Set<String> listed(Cloud cloud, String owner) {
        Set<String> ids = new HashSet<>();
        switch (cloud.list(owner)) {
            case Listing.Rows rows -> {
                for (Listing.Row row : rows.rows()) {
                    if (row instanceof Listing.Row.Seen readable
                            && readable.instance().state().alive()) {
                        ids.add(readable.instance().id());
                    }
                }
            }
            case Listing.NotNow _ -> {}
        }
        return ids;
    }
}
