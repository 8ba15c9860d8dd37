package petrichor.apps.router;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.files.StaticFiles;
import petrichor.apps.router.http.HttpDate;
import petrichor.apps.router.log.RequestLog;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.tls.AcmeChallenges;
import petrichor.apps.router.tls.RouterCertificates;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * The reverse proxy in front of the instances of all apps. {@link #setTable} replaces the routes at
 * once and without failed requests: running requests keep the instance that they have. Thread-safe.
 */
public final class AppRouter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppRouter.class);
    private static final int BACKLOG = 1024;
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_INITIAL = 1 << 10;
    private static final Duration SWITCH_MAX = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(20);

    private final RouterCore core;
    private final EventLoopGroup loops;
    private final Map<EventLoop, Lane> lanes = new HashMap<>();
    private final OpenConnections open = new OpenConnections();
    private final List<Channel> listeners = new ArrayList<>();

    /**
     * What the assembly provides.
     *
     * @param certificates null if no listener uses TLS
     */
    public record Surroundings(
            Backends backends,
            RequestHeaders headers,
            Visitors visitors,
            RequestLog log,
            @Nullable RouterCertificates certificates,
            Sources sources) {
        /** Without users, log and TLS, with the machine's time and randomness. */
        public static Surroundings of(Backends backends) {
            return new Surroundings(
                    backends,
                    RequestHeaders.forwarded(),
                    Visitors.none(),
                    RequestLog.NONE,
                    null,
                    Sources.SYSTEM);
        }
    }

    /**
     * @param randoms one generator per event loop
     */
    public record Sources(TimeSource time, Supplier<RandomGenerator> randoms) {
        public static final Sources SYSTEM =
                new Sources(TimeSource.SYSTEM, () -> RandomGenerator.of("L64X128MixRandom"));
    }

    private AppRouter(RouterSettings settings, Surroundings around) {
        StaticFiles files = new StaticFiles(settings.limits().files());
        this.core =
                new RouterCore(
                        settings,
                        new RouterCore.Platform(
                                around.backends(),
                                around.headers(),
                                around.visitors(),
                                around.log(),
                                around.certificates() == null
                                        ? new AcmeChallenges()
                                        : around.certificates().challenges(),
                                around.sources().time()),
                        new RequestAdmission(settings.limits().concurrency()),
                        new RequestQuotas(around.sources().time()),
                        new RouterCore.State(
                                new AtomicReference<>(RoutingTable.EMPTY),
                                files,
                                new RouteFinder(files),
                                new RouterMetrics(),
                                new HttpDate()));
        this.loops = Transport.eventLoops(settings.threads());
        for (EventExecutor executor : loops) {
            EventLoop loop = (EventLoop) executor;
            RandomGenerator random = around.sources().randoms().get();
            lanes.put(loop, new Lane(loop, random, settings));
        }
    }

    /** FAILED_PRECONDITION if a listener cannot be opened. */
    public static AppRouter open(RouterSettings settings, Surroundings around) {
        AppRouter router = new AppRouter(settings, around);
        try {
            for (RouterSettings.Listener listener : settings.listeners()) {
                router.listen(listener, around.certificates());
            }
        } catch (RuntimeException failed) {
            router.close(Duration.ZERO);
            throw failed;
        }
        if (around.certificates() != null) {
            router.watch(around.certificates());
        }
        return router;
    }

    private void listen(RouterSettings.Listener listener, @Nullable RouterCertificates tls) {
        RouterCertificates certificates =
                switch (listener.security()) {
                    case CLEAR -> null;
                    case TLS -> {
                        if (tls == null) {
                            throw PetrichorException.of(
                                    ErrorCode.FAILED_PRECONDITION,
                                    "a listener with TLS needs certificates; configure them");
                        }
                        yield tls;
                    }
                };
        int buffer = core.limits().connections().bufferBytes();
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loops)
                        .channel(Transport.serverChannel())
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .childOption(
                                ChannelOption.RCVBUF_ALLOCATOR,
                                new AdaptiveRecvByteBufAllocator(
                                        READ_BYTES_MIN, READ_BYTES_INITIAL, buffer))
                        .childOption(
                                ChannelOption.WRITE_BUFFER_WATER_MARK,
                                new WriteBufferWaterMark(buffer / 2, buffer))
                        .childHandler(
                                new ConnectionSetup(
                                        core,
                                        channel -> lane(channel.eventLoop()),
                                        open,
                                        certificates));
        var bound = bootstrap.bind(listener.address()).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    bound.cause(),
                    "the router cannot listen on {address}: {reason}; choose another port, or stop"
                            + " the program that uses it",
                    "address",
                    listener.address(),
                    "reason",
                    bound.cause().getMessage());
        }
        listeners.add(bound.channel());
    }

    private Lane lane(EventLoop loop) {
        Lane lane = lanes.get(loop);
        if (lane == null) {
            throw new IllegalStateException("each event loop has a lane");
        }
        return lane;
    }

    private void watch(RouterCertificates certificates) {
        long every = certificates.reloadEvery().toMillis();
        var _ =
                loops.next()
                        .scheduleWithFixedDelay(
                                () -> Thread.ofVirtual().start(() -> reload(certificates)),
                                every,
                                every,
                                TimeUnit.MILLISECONDS);
    }

    private static void reload(RouterCertificates certificates) {
        try {
            if (certificates.reload()) {
                LOG.info("reloaded the router's certificates");
            }
        } catch (PetrichorException unusable) {
            LOG.warn("kept the router's certificates: {}", unusable.getMessage());
        }
    }

    /**
     * Replaces all routes. Requests that use an instance keep it. When this method returns, no
     * request acquires an instance by the table before any more: an instance that only that table
     * names may stop as soon as it is released.
     */
    public void setTable(RoutingTable table) {
        core.state().table().set(table);
        core.admission().retain(table.apps().keySet());
        core.quotas().retain(table.apps().keySet());
        List<Future<?>> passed = new ArrayList<>();
        for (EventLoop loop : lanes.keySet()) {
            if (!loop.inEventLoop() && !loop.isShuttingDown()) {
                // what a loop has started with the table before ends with its current task
                passed.add(loop.submit(() -> {}));
            }
        }
        passed.forEach(each -> each.awaitUninterruptibly(SWITCH_MAX.toMillis()));
    }

    public RoutingTable table() {
        return core.table();
    }

    /** The addresses of the listeners, in the order of the settings. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream()
                .map(channel -> (InetSocketAddress) channel.localAddress())
                .toList();
    }

    public RouterMetrics metrics() {
        return core.metrics();
    }

    /** What visitors of an app do at this router. */
    public RequestUse use(String app) {
        return core.quotas().use(app);
    }

    /** Bytes of static files in memory. */
    public long cachedBytes() {
        return core.state().files().cachedBytes();
    }

    /** Requests that are running. */
    public int running() {
        return core.admission().running();
    }

    /** Accepts no further connections, and lets requests finish within the time. */
    public void close(Duration within) {
        listeners.forEach(channel -> channel.close().awaitUninterruptibly());
        open.shutDown();
        long end = System.nanoTime() + within.toNanos();
        while (!open.isEmpty() && System.nanoTime() < end) {
            try {
                Thread.sleep(POLL);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        open.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(10));
    }
}
