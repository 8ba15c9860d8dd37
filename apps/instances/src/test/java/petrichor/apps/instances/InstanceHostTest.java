package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.apps.instances.TestHost.MEGABYTE;
import static petrichor.apps.instances.TestHost.ended;
import static petrichor.apps.instances.TestHost.started;
import static petrichor.apps.instances.TestHost.with;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

/** Limits of all instances of a host together. */
final class InstanceHostTest {
    @TempDir Path folder;

    private TestHost host(HostLimits limits) throws IOException {
        return new TestHost(folder, TestHost.machine(), limits);
    }

    private static String refusal(TestHost tested) {
        return ((StartResult.Refused) tested.host.start(tested.spec("serve"), tested.log)).reason();
    }

    @Test
    void theNumberOfInstancesIsLimited() throws Exception {
        try (TestHost tested = host(new HostLimits(2, 2, 1_000 * MEGABYTE))) {
            Instance first = tested.ready(tested.spec("serve"));
            tested.ready(tested.spec("serve"));
            assertThat(refusal(tested))
                    .isEqualTo("this machine runs 2 instances already, its maximum");
            first.stop("done");
            ended(first);
            tested.ready(tested.spec("serve"));
        }
    }

    @Test
    void theSumOfTheMemoryLimitsIsLimited() throws Exception {
        try (TestHost tested = host(new HostLimits(10, 2, 300 * MEGABYTE))) {
            tested.ready(tested.spec("serve"));
            Instance second = tested.ready(tested.spec("serve"));
            assertThat(tested.host.memoryBytes()).isEqualTo(256 * MEGABYTE);
            assertThat(refusal(tested))
                    .isEqualTo(
                            "the instance may use 128 MB of memory, but only 44 of 300 MB for"
                                    + " instances are free");
            second.kill("done");
            ended(second);
            tested.ready(tested.spec("serve"));
        }
    }

    @Test
    void startsWaitForTheirTurn() throws Exception {
        try (TestHost tested = host(new HostLimits(10, 1, 1_000 * MEGABYTE))) {
            Instance silent = tested.start(tested.spec("silent"));
            TestHost.until(
                    "the first starts", () -> silent.usage().memoryBytes().orElse(0L) > MEGABYTE);
            Instance waiting = tested.start(tested.spec("serve"));
            Instance stopped = tested.start(tested.spec("serve"));
            // It has not started, and ends at once.
            stopped.stop("not needed");
            assertThat(ended(stopped)).isEqualTo(new InstanceState.Stopped("not needed"));
            assertThat(waiting.state()).isEqualTo(new InstanceState.Starting());
            assertThat(waiting.usage().memoryBytes().orElse(0L)).isZero();
            silent.kill("enough");
            assertThat(started(waiting)).isEqualTo(new InstanceState.Ready());
        }
    }

    @Test
    void slotsAreGrantedInOrder() {
        StartSlots slots = new StartSlots(1);
        StartSlots.Slot first = slots.take();
        StartSlots.Slot second = slots.take();
        StartSlots.Slot third = slots.take();
        assertThat(first.granted()).isDone();
        assertThat(second.granted()).isNotDone();
        // It no longer waits.
        slots.release(second);
        assertThat(third.granted()).isNotDone();
        slots.release(first);
        assertThat(third.granted()).isDone();
        slots.release(third);
        assertThat(slots.take().granted()).isDone();
        assertThat(slots.take().granted()).isNotDone();
    }

    @Test
    void closeStopsAllAndRefusesMore() throws Exception {
        try (TestHost tested = host(new HostLimits(10, 2, 1_000 * MEGABYTE))) {
            List<Instance> all =
                    List.of(
                            tested.ready(tested.spec("graceful")),
                            tested.ready(tested.spec("graceful")));
            tested.host.close();
            for (Instance each : all) {
                assertThat(each.state())
                        .isEqualTo(new InstanceState.Stopped("the platform is stopping"));
            }
            assertThat(refusal(tested)).isEqualTo("the host of instances is closed");
        }
    }

    @Test
    void twoHostsOfOneProcessCannotShareAFolder() throws Exception {
        try (TestHost _ = host(HostLimits.ofThisMachine())) {
            assertThatThrownBy(() -> host(HostLimits.ofThisMachine()))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("is used by another process");
        }
        host(HostLimits.ofThisMachine()).close();
    }

    @Test
    void limitsMustFitTheMachine() {
        HostLimits limits = HostLimits.of(1_000 * MEGABYTE, 4);
        assertThat(limits.fitting(1_000 * MEGABYTE).memoryBytesMax()).isEqualTo(750 * MEGABYTE);
        assertThat(limits.startsMax()).isEqualTo(4);
        assertThatThrownBy(() -> limits.fitting(700 * MEGABYTE))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("choose a lower limit");
        assertThat(HostLimits.machineBytes()).isGreaterThan(100 * MEGABYTE);
    }

    @Test
    void numbersAreReusedAsLateAsPossible() {
        NumberPool pool = new NumberPool(new NumberRange(10, 13), 2);
        assertThat(pool.take(_ -> true)).hasValue(12);
        pool.release(12);
        assertThat(pool.take(_ -> true)).hasValue(13);
        assertThat(pool.take(number -> number != 10)).hasValue(11);
        assertThat(pool.take(_ -> true)).hasValue(12);
        assertThat(pool.take(_ -> true)).hasValue(10);
        assertThat(pool.take(_ -> true)).isEqualTo(OptionalInt.empty());
        pool.release(11);
        assertThat(pool.take(_ -> true)).hasValue(11);
    }

    @Test
    void aUsedPortIsNotTaken() throws Exception {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(FreePort.isFree(socket.getLocalPort())).isFalse();
        }
    }

    @Test
    void theEnvironmentOfASpecIsChecked() throws Exception {
        try (TestHost tested = host(HostLimits.ofThisMachine())) {
            InstanceSpec spec = tested.spec("serve");
            for (String name : List.of("PORT", "HOME", "1A", "A-B", "A=B", "A\nexport B", "")) {
                assertThatThrownBy(() -> with(spec, Map.of(name, "x")))
                        .as(name)
                        .isInstanceOf(PetrichorException.class);
            }
            assertThatThrownBy(() -> with(spec, Map.of("A", "\0")))
                    .isInstanceOf(PetrichorException.class);
        }
    }

    @Test
    void requestsCannotBeSplit() {
        for (String path : List.of("no-slash", "/a b", "/a\r\nGET", "")) {
            assertThatThrownBy(() -> new StopRequest(path, Map.of()))
                    .as(path)
                    .isInstanceOf(PetrichorException.class);
        }
        assertThatThrownBy(() -> new StopRequest("/", Map.of("A", "b\r\nC: d")))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> new StopRequest("/", Map.of("A: b\r\nC", "d")))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void socketsOfTheKernelAreParsed() {
        String loopback =
                "   0: 0100007F:4E20 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 "
                        + "       0 123 1 0000000000000000 100 0 0 10 0";
        assertThat(ListeningSocket.parse(loopback, 20_000))
                .contains(new ListeningSocket(1_000, 123, true));
        assertThat(ListeningSocket.parse(loopback, 20_001)).isEmpty();
        assertThat(ListeningSocket.parse(loopback.replace(" 0A ", " 01 "), 20_000)).isEmpty();
        assertThat(ListeningSocket.parse(loopback.replace("0100007F", "00000000"), 20_000))
                .contains(new ListeningSocket(1_000, 123, false));
        String six = loopback.replace("0100007F", "00000000000000000000000001000000");
        assertThat(ListeningSocket.parse(six, 20_000))
                .contains(new ListeningSocket(1_000, 123, true));
        String mapped = loopback.replace("0100007F", "0000000000000000FFFF00000100007F");
        assertThat(ListeningSocket.parse(mapped, 20_000))
                .contains(new ListeningSocket(1_000, 123, true));
        String any = loopback.replace("0100007F", "00000000000000000000000000000000");
        assertThat(ListeningSocket.parse(any, 20_000))
                .contains(new ListeningSocket(1_000, 123, false));
        assertThat(ListeningSocket.parse("  sl  local_address rem_address", 20_000)).isEmpty();
    }
}
