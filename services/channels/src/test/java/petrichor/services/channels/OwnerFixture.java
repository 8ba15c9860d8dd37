package petrichor.services.channels;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.channels.ChannelOwner.Closing;
import petrichor.services.channels.ChannelOwner.Delivery;
import petrichor.services.channels.ChannelOwner.Opening;
import petrichor.services.channels.ChannelOwner.Polled;
import petrichor.services.channels.ChannelOwner.Receipt;
import petrichor.services.channels.ChannelOwner.Registered;
import petrichor.services.channels.ChannelOwner.Report;
import petrichor.transactions.databases.RowDatabases;

/** The owner of the channels of some apps, with a manual clock; reports of presence are kept. */
final class OwnerFixture implements AutoCloseable {
    static final String APP = "demo";
    static final String SERVER = "server-1";

    final ManualTime time = new ManualTime();
    final MemoryStore store = MemoryStore.open();
    final RowDatabases databases = new RowDatabases(store);
    final MemoryBudget process;
    final MemoryBudget memory;
    final ChannelTokens tokens = new ChannelTokens(() -> databases, time, new SecureRandom());
    final List<String> reports = new CopyOnWriteArrayList<>();
    volatile Channels channels;

    OwnerFixture() {
        this(8 << 20, 100);
    }

    OwnerFixture(long memoryBytes, int channelsPerApp) {
        this.process = MemoryBudget.of("process", 2 * memoryBytes);
        this.memory = process.share("channels", memoryBytes);
        this.channels = fresh(channelsPerApp);
    }

    private Channels fresh(int channelsPerApp) {
        return new Channels(
                () -> databases,
                tokens,
                new ChannelLimits(channelsPerApp, 1_000),
                memory,
                (project, client, connected) ->
                        reports.add(project + " " + client + (connected ? " +" : " -")),
                time,
                new SecureRandom(),
                Runnable::run);
    }

    /** Another server becomes the owner: it knows no channels. */
    void replaceOwner() {
        Channels former = channels;
        channels = fresh(100);
        former.close();
    }

    String token(String client) {
        return channels.create(APP, client, Optional.empty()).text();
    }

    void send(String client, String... messages) {
        for (String message : messages) {
            channels.send(APP, client, message.getBytes(StandardCharsets.UTF_8));
        }
    }

    Registered register(String connection, String client) {
        return register(SERVER, connection, client, true);
    }

    Registered register(String server, String connection, String client, boolean first) {
        long expires = time.epochMicros() + Duration.ofHours(2).toNanos() / 1_000;
        return channels.register(
                APP, server, List.of(new Opening(connection, client, expires, first)));
    }

    CompletableFuture<Polled> poll(Registered registered) {
        return poll(SERVER, registered);
    }

    CompletableFuture<Polled> poll(String server, Registered registered) {
        return channels.poll(APP, server, registered.registration(), Cancellation.never());
    }

    void written(Registered registered, String connection, long sequence) {
        receipt(registered, new Receipt(connection, sequence, -1));
    }

    void receipt(Registered registered, Receipt receipt) {
        channels.report(
                APP, SERVER, new Report(registered.registration(), List.of(receipt), List.of()));
    }

    void closed(Registered registered, String connection, boolean clean) {
        channels.report(
                APP,
                SERVER,
                new Report(
                        registered.registration(),
                        List.of(),
                        List.of(new Closing(connection, clean))));
    }

    void pass(Duration duration) {
        time.pass(duration);
        channels.sweep();
    }

    static List<String> texts(Polled polled) {
        return polled.deliveries().stream().map(OwnerFixture::text).toList();
    }

    static String text(Delivery delivery) {
        return new String(delivery.message(), StandardCharsets.UTF_8);
    }

    static String[] numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toArray(String[]::new);
    }

    @Override
    public void close() {
        channels.close();
        databases.close();
        store.close();
    }
}
