package petrichor.services.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.fetch.Fetching.fetched;
import static petrichor.services.fetch.Fetching.reason;
import static petrichor.services.fetch.Fetching.request;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.services.fetch.FetchResult.Reason;

/** What a fetch must not do: reach the platform, wait forever, or use too much. */
@Timeout(120)
final class FetchGuardsTest {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    @Test
    void loopbackIsRefusedInEverySpelling() {
        try (EchoServer server = EchoServer.start();
                Fetching fetching = new Fetching(AddressGuard.Resolver.SYSTEM)) {
            for (String host :
                    List.of(
                            "localhost",
                            "127.0.0.1",
                            "127.1",
                            "2130706433",
                            "0.0.0.0",
                            "[::1]",
                            "[::ffff:127.0.0.1]",
                            "[::ffff:7f00:1]",
                            "[64:ff9b::7f00:1]",
                            "[::]",
                            "169.254.169.254",
                            "10.0.0.1",
                            "[fe80::1]",
                            "[fd00:ec2::254]")) {
                assertThat(fetching.failure("http://" + host + ":" + server.port() + "/"))
                        .as(host)
                        .isIn(Reason.FETCH_ERROR, Reason.DNS_ERROR);
            }
            assertThat(server.requests).hasValue(0);
        }
    }

    @Test
    void aNameOfAPrivateAddressIsRefusedAndSoIsARedirectToOne() {
        try (EchoServer server = EchoServer.start();
                Fetching fetching =
                        new Fetching(
                                _ -> new InetAddress[] {LOOPBACK},
                                "open.example:" + server.port())) {
            String open = "http://open.example:" + server.port();
            assertThat(fetching.failure("http://rebound.example:" + server.port() + "/"))
                    .isEqualTo(Reason.FETCH_ERROR);
            assertThat(fetching.get(open + "/").status()).isEqualTo(200);
            int before = server.requests.get();
            String redirect = "/redirect?302,http://127.0.0.1:" + server.port() + "/secret";
            assertThat(fetching.failure(open + redirect)).isEqualTo(Reason.FETCH_ERROR);
            assertThat(server.requests).hasValue(before + 1);
        }
    }

    /** A name server that answers differently each time gets one chance. */
    @Test
    void theAddressThatIsCheckedIsTheOneThatIsConnectedTo() {
        AtomicInteger lookups = new AtomicInteger();
        InetAddress open = InetAddress.ofLiteral("127.0.0.2");
        try (EchoServer server = EchoServer.start();
                Fetching fetching =
                        new Fetching(
                                _ ->
                                        new InetAddress[] {
                                            lookups.getAndIncrement() == 0 ? open : LOOPBACK
                                        },
                                "127.0.0.2")) {
            // The server listens on 127.0.0.1 only: connecting there would succeed.
            assertThat(fetching.failure("http://rebound.example:" + server.port() + "/"))
                    .isEqualTo(Reason.CONNECTION_ERROR);
            assertThat(lookups).hasValue(1);
            assertThat(server.requests).hasValue(0);
        }
    }

    @Test
    void addressesOfThisMachineAndOfThePlatformAreRefusedEvenIfPublic() throws Exception {
        InetAddress platform = InetAddress.ofLiteral("8.8.4.4");
        InetAddress here = InetAddress.ofLiteral("9.9.9.9");
        InetAddress other = InetAddress.ofLiteral("8.8.8.8");
        try (var lookups = java.util.concurrent.Executors.newCachedThreadPool()) {
            AddressGuard guard =
                    new AddressGuard(
                            FetchAllowlist.NONE,
                            platform::equals,
                            here::equals,
                            _ -> new InetAddress[] {platform, here, other},
                            lookups);
            assertThat(guard.resolve("any.example", 80)).containsExactly(other);
        }
        assertThat(AddressGuard.isOfThisMachine(LOOPBACK)).isTrue();
        assertThat(AddressGuard.isOfThisMachine(InetAddress.ofLiteral("192.0.2.1"))).isFalse();
    }

    @Test
    void aHostWithoutAnAddressIsADnsError() {
        try (Fetching fetching =
                new Fetching(
                        host -> {
                            throw new UnknownHostException(host);
                        })) {
            assertThat(fetching.failure("http://nowhere.example/")).isEqualTo(Reason.DNS_ERROR);
        }
    }

    @Test
    void aClosedPortIsAConnectionError() {
        int port;
        try (EchoServer server = EchoServer.start()) {
            port = server.port();
        }
        try (Fetching fetching = new Fetching("127.0.0.0/8")) {
            assertThat(fetching.failure("http://server.example:" + port + "/"))
                    .isEqualTo(Reason.CONNECTION_ERROR);
        }
    }

    @Test
    void serversThatSpeakNonsenseAreDistinguished() {
        try (Fetching fetching = new Fetching("127.0.0.0/8")) {
            assertThat(failure(fetching, "")).isEqualTo(Reason.CLOSED);
            assertThat(failure(fetching, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"))
                    .isEqualTo(Reason.CLOSED);
            assertThat(failure(fetching, "SSH-2.0-OpenSSH\r\n\r\n")).isEqualTo(Reason.CLOSED);
            assertThat(
                            failure(
                                    fetching,
                                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"))
                    .isEqualTo(Reason.MALFORMED_REPLY);
            assertThat(
                            failure(
                                    fetching,
                                    "HTTP/1.1 200 OK\r\nA: " + "a".repeat(1 << 20) + "\r\n\r\n"))
                    .isEqualTo(Reason.MALFORMED_REPLY);
            assertThat(
                            failure(
                                    fetching,
                                    "HTTP/1.1 200 OK\r\n" + "A: a\r\n".repeat(10_000) + "\r\n"))
                    .isEqualTo(Reason.MALFORMED_REPLY);
        }
    }

    private static Reason failure(Fetching fetching, String answer) {
        try (RawServer server = RawServer.answering(answer)) {
            return fetching.failure(server.url());
        }
    }

    @Test
    void aSilentServerEndsAtTheDeadline() {
        for (String beginning :
                List.of(
                        "",
                        "HTTP/1.1 200 OK\r\n",
                        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na")) {
            try (RawServer server = RawServer.silent(beginning);
                    Fetching fetching = new Fetching("127.0.0.0/8")) {
                FetchRequest patient = request(server.url());
                FetchRequest hasty =
                        new FetchRequest(
                                patient.method(),
                                patient.url(),
                                patient.headers(),
                                patient.payload(),
                                patient.options(),
                                Duration.ofMillis(200));
                assertThat(reason(fetching.fetch(hasty))).isEqualTo(Reason.DEADLINE_EXCEEDED);
                assertThat(
                                reason(
                                        fetching.fetch(
                                                patient,
                                                Cancellation.after(
                                                        Duration.ofMillis(200).toNanos()))))
                        .isEqualTo(Reason.DEADLINE_EXCEEDED);
            }
        }
    }

    /** The resolver of the operating system cannot be interrupted. */
    @Test
    void aSlowNameServerEndsAtTheDeadlineAndKeepsItsPermit() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (Fetching fetching =
                new Fetching(
                        host -> {
                            awaitUninterruptibly(answered);
                            throw new UnknownHostException(host);
                        })) {
            FetchRequest request = request("http://slow.example/");
            assertThat(
                            reason(
                                    fetching.fetch(
                                            request,
                                            Cancellation.after(Duration.ofMillis(200).toNanos()))))
                    .isEqualTo(Reason.DEADLINE_EXCEEDED);
            assertThat(fetching.fetcher.running()).isEqualTo(1);
            answered.countDown();
            while (fetching.fetcher.running() > 0) {
                Thread.onSpinWait();
            }
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // Like getaddrinfo.
            }
        }
    }

    @Test
    void anAppCannotRunMoreFetchesThanItsShare() {
        try (RawServer silent = RawServer.silent("");
                EchoServer server = EchoServer.start();
                Fetching fetching =
                        new Fetching(
                                _ -> new InetAddress[] {LOOPBACK},
                                TlsContexts.system(),
                                new FetchLimits(1, 2),
                                MemoryBudget.unlimited(),
                                "127.0.0.0/8")) {
            Cancellation held = Cancellation.never();
            var waiting =
                    CompletableFuture.supplyAsync(
                            () -> fetching.fetch(request(silent.url()), held));
            while (fetching.fetcher.running() == 0) {
                Thread.onSpinWait();
            }
            FetchRequest second = request(server.url("/"));
            assertThat(
                            reason(
                                    fetching.fetch(
                                            second,
                                            Cancellation.after(Duration.ofMillis(200).toNanos()))))
                    .isEqualTo(Reason.DEADLINE_EXCEEDED);
            assertThat(server.requests).hasValue(0);
            try (MemoryBudget.Reservation memory = MemoryBudget.unlimited().reservation()) {
                assertThat(
                                fetched(
                                                fetching.fetcher.fetch(
                                                        "other",
                                                        second,
                                                        memory,
                                                        Cancellation.never()))
                                        .status())
                        .isEqualTo(200);
            }
            held.cancel();
            assertThat(reason(waiting.join())).isEqualTo(Reason.DEADLINE_EXCEEDED);
            assertThat(fetched(fetching.fetch(second)).status()).isEqualTo(200);
        }
    }

    @Test
    void theFetchesOfAllAppsTogetherAreLimited() {
        try (RawServer silent = RawServer.silent("");
                EchoServer server = EchoServer.start();
                Fetching fetching =
                        new Fetching(
                                _ -> new InetAddress[] {LOOPBACK},
                                TlsContexts.system(),
                                new FetchLimits(2, 1),
                                MemoryBudget.unlimited(),
                                "127.0.0.0/8");
                MemoryBudget.Reservation memory = MemoryBudget.unlimited().reservation()) {
            Cancellation held = Cancellation.never();
            var waiting =
                    CompletableFuture.supplyAsync(
                            () -> fetching.fetch(request(silent.url()), held));
            while (fetching.fetcher.running() == 0) {
                Thread.onSpinWait();
            }
            FetchRequest second = request(server.url("/"));
            Cancellation hasty = Cancellation.after(Duration.ofMillis(200).toNanos());
            assertThat(reason(fetching.fetcher.fetch("other", second, memory, hasty)))
                    .isEqualTo(Reason.DEADLINE_EXCEEDED);
            assertThat(server.requests).hasValue(0);
            held.cancel();
            assertThat(reason(waiting.join())).isEqualTo(Reason.DEADLINE_EXCEEDED);
            Cancellation patient = Cancellation.never();
            assertThat(fetched(fetching.fetcher.fetch("other", second, memory, patient)).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aResponseBeyondTheMemoryBudgetIsTooLarge() {
        MemoryBudget budget = MemoryBudget.of("test", 1 << 20);
        try (EchoServer server = EchoServer.start();
                Fetching fetching =
                        new Fetching(
                                _ -> new InetAddress[] {LOOPBACK},
                                TlsContexts.system(),
                                FetchLimits.DEFAULT,
                                budget,
                                "127.0.0.0/8")) {
            assertThat(fetching.failure(server.url("/bytes?1000000")))
                    .isEqualTo(Reason.RESPONSE_TOO_LARGE);
            assertThat(fetching.get(server.url("/bytes?100000")).content()).hasSize(100_000);
            assertThat(budget.bytesUsed()).isZero();
        }
    }
}
