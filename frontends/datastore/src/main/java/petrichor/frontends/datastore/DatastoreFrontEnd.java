package petrichor.frontends.datastore;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.AuditLog;
import petrichor.rpc.NetworkTransport;
import petrichor.rpc.PeerMethods;
import petrichor.rpc.Rpc;

/**
 * Datastore v1 over gRPC and REST on one port, until it is closed. Owns its threads and
 * connections; the {@link Datastore} belongs to the caller and must outlive it.
 */
public final class DatastoreFrontEnd implements AutoCloseable {
    /** Larger than any life of a connection; how long a client may be silent is the sniffer's. */
    private static final long NEVER_DAYS = 3_650;

    private static final int FREE_PORT_ATTEMPTS = 20;
    private static final int SWEEPS_PER_TIMEOUT = 4;

    /** A client that cancels more calls than this only wants to keep us busy. */
    private static final int RESETS_MAX = 5_000;

    private static final int RESETS_WINDOW_S = 10;
    private static final int ACCEPT_QUEUE = 1_024;

    /** Share of the heap, without a budget from outside; a server's default. */
    private static final int MEMORY_PERCENT = 60;

    private static final Duration KEEPALIVE_EVERY = Duration.ofMinutes(2);
    private static final Duration KEEPALIVE_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration CLIENT_PINGS_AT_MOST_EVERY = Duration.ofSeconds(5);

    private final Dispatcher dispatcher;
    private final RequestBudget budget;
    private final RequestParser parser;
    private final BrowserGuard guard;
    private final GrpcIntake intake;
    private final DatastoreService service;
    private final RequestMetrics metrics;
    private final ProtocolSniffer sniffer;
    private final Certificates certificates;
    private final EventLoopGroup accepting;
    private final EventLoopGroup network;
    private final List<Page> pages;

    private final FrontEndSettings settings;
    private final Rpc rpc;
    private final HealthStatusManager health = new HealthStatusManager();
    private final Authenticator gate;

    /** Services beside the API; they ask for the token. */
    private final List<ServerServiceDefinition> guarded = new ArrayList<>();

    /** One for each address; they share everything behind the wire. */
    private volatile List<Server> servers = List.of();

    /** Does not listen yet. FAILED_PRECONDITION when the certificate cannot be used. */
    public DatastoreFrontEnd(Datastore datastore, FrontEndSettings settings) {
        this(datastore, settings, Rpc.STANDALONE);
    }

    /** One of several servers, with memory of its own. */
    public DatastoreFrontEnd(Datastore datastore, FrontEndSettings settings, Rpc rpc) {
        this(
                datastore,
                settings,
                rpc,
                MemoryBudget.ofHeap(MEMORY_PERCENT),
                AuditLog.off(),
                new PrometheusRegistry());
    }

    /**
     * @param memory of the process; requests and responses get their shares of it
     * @param audit gets a record of each request; belongs to the caller
     * @param registry gets the metrics of both wires
     */
    public DatastoreFrontEnd(
            Datastore datastore,
            FrontEndSettings settings,
            Rpc rpc,
            MemoryBudget memory,
            AuditLog audit,
            PrometheusRegistry registry) {
        this.settings = settings;
        this.rpc = rpc;
        requireAuthentication(settings, rpc);
        this.gate = new Authenticator(settings.tokens(), audit);
        this.metrics = new RequestMetrics(registry);
        this.pages = new CopyOnWriteArrayList<>();
        this.dispatcher = new Dispatcher(datastore, settings.execution());
        this.budget = new RequestBudget(memory, settings.limits().bufferedBytesMax());
        this.parser = new RequestParser(budget);
        this.guard = new BrowserGuard(settings.tokens().required(), settings.names());
        this.intake = new GrpcIntake(budget, settings.limits().requestWithin(), dispatcher::refuse);
        Duration executionWithin = settings.limits().executionWithin();
        this.service = new DatastoreService(dispatcher, parser, metrics, rpc.routing());
        rpc.register(service);
        HttpRequests requests =
                new HttpRequests(
                        dispatcher, service, budget, gate, guard, executionWithin, metrics, pages);
        this.certificates = new Certificates(settings.tls());
        this.sniffer =
                new ProtocolSniffer(
                        settings.limits(),
                        new TlsSelection(certificates, rpc.authentication().certificates()),
                        () -> new HttpConnection(settings.limits(), budget, requests));
        this.accepting = NetworkTransport.AVAILABLE.threads("accept", 1);
        this.network =
                rpc.network()
                        .orElseGet(
                                () ->
                                        NetworkTransport.AVAILABLE.threads(
                                                "network", settings.execution().networkThreads()));
        register(registry);
    }

    /**
     * Answers requests from when it returns. UNAVAILABLE when an address cannot be had.
     *
     * @param besides what is served over HTTP beside the API
     */
    public void listen(List<Page> besides) {
        listen(besides, List.of());
    }

    /**
     * @param services what is served over gRPC beside the API, to those who have the token
     */
    public void listen(List<Page> besides, List<ServerServiceDefinition> services) {
        listenBeforeReady(besides, services);
        health.setStatus(DatastoreMethod.SERVICE, HealthCheckResponse.ServingStatus.SERVING);
    }

    /** As {@link #listen}, but gRPC's health service reports NOT_SERVING at first. */
    public void listenBeforeReady(List<Page> besides, List<ServerServiceDefinition> services) {
        health.setStatus(DatastoreMethod.SERVICE, HealthCheckResponse.ServingStatus.NOT_SERVING);
        pages.addAll(besides);
        for (ServerServiceDefinition service : services) {
            guarded.add(ServerInterceptors.intercept(service, gate.interceptor()));
        }
        long sweepMillis =
                Math.max(1, settings.limits().requestWithin().toMillis() / SWEEPS_PER_TIMEOUT);
        var _ =
                accepting.scheduleWithFixedDelay(
                        intake::sweep, sweepMillis, sweepMillis, TimeUnit.MILLISECONDS);
        servers = listening();
    }

    /** On all addresses or on none. */
    private List<Server> listening() {
        for (int attempt = 1; ; attempt++) {
            List<Server> listening = new ArrayList<>();
            int port = settings.port();
            try {
                for (InetAddress address : settings.addresses()) {
                    Server one = start(new InetSocketAddress(address, port));
                    listening.add(one);
                    port = one.getPort();
                }
                return List.copyOf(listening);
            } catch (PetrichorException taken) {
                stop(listening, Duration.ZERO);
                // a port that is free on one address may be taken on another one
                boolean unlucky = settings.port() == 0 && !listening.isEmpty();
                if (!unlucky || attempt == FREE_PORT_ATTEMPTS) {
                    throw taken;
                }
            }
        }
    }

    private Server start(InetSocketAddress address) {
        try {
            return grpc(address).start();
        } catch (IOException failed) {
            throw cannotListen(address, failed);
        }
    }

    /** Requests from now on go to another datastore; those that run end on the old one. */
    public void serve(Datastore datastore) {
        dispatcher.serve(datastore);
    }

    /** Requests from now on need one of these tokens; those that run are not affected. */
    public void accept(AccessTokens tokens) {
        gate.replace(tokens);
    }

    /**
     * Reads the certificate and its key again, for connections from now on. FAILED_PRECONDITION if
     * they cannot be used or have expired; the former ones stay then.
     */
    public void renewCertificate() {
        certificates.renew();
    }

    private Server grpc(InetSocketAddress address) {
        FrontEndSettings.Limits limits = settings.limits();
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(address)
                        .protocolNegotiator(sniffer)
                        .channelType(NetworkTransport.AVAILABLE.listening())
                        .bossEventLoopGroup(accepting)
                        .workerEventLoopGroup(network)
                        .withOption(ChannelOption.SO_BACKLOG, ACCEPT_QUEUE)
                        .withChildOption(ChannelOption.TCP_NODELAY, true)
                        .directExecutor()
                        .handshakeTimeout(NEVER_DAYS, TimeUnit.DAYS)
                        .maxInboundMessageSize(limits.requestBytesMax())
                        .maxInboundMetadataSize(limits.headerBytesMax())
                        .maxConcurrentCallsPerConnection(limits.callsPerConnectionMax())
                        .maxConnectionIdle(limits.idleWithin().toMillis(), TimeUnit.MILLISECONDS)
                        .keepAliveTime(KEEPALIVE_EVERY.toSeconds(), TimeUnit.SECONDS)
                        .keepAliveTimeout(KEEPALIVE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                        .permitKeepAliveTime(
                                CLIENT_PINGS_AT_MOST_EVERY.toSeconds(), TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true)
                        .maxRstFramesPerWindow(RESETS_MAX, RESETS_WINDOW_S)
                        .addStreamTracerFactory(intake)
                        .addTransportFilter(intake.connections())
                        .addService(health.getHealthService())
                        .addService(
                                new GrpcService(
                                                service,
                                                gate,
                                                guard,
                                                metrics,
                                                limits.executionWithin())
                                        .definition());
        guarded.forEach(builder::addService);
        for (ServerServiceDefinition peers : rpc.services()) {
            builder.addService(
                    ServerInterceptors.intercept(peers, intake.bounded(DatastoreFrontEnd::isRead)));
        }
        return builder.build();
    }

    /** Of a call that another server forwards. */
    private static boolean isRead(Metadata headers) {
        return PeerMethods.routedMethod(headers)
                .flatMap(DatastoreMethod::ofFullName)
                .map(DatastoreMethod::onlyReads)
                .orElse(false);
    }

    /** Otherwise a client without a token could pretend to be a peer. */
    private static void requireAuthentication(FrontEndSettings settings, Rpc rpc) {
        if (settings.tokens().required()
                && !rpc.services().isEmpty()
                && !rpc.authentication().required()) {
            throw new IllegalArgumentException(
                    "clients need a token, so peers must authenticate as well");
        }
    }

    private static PetrichorException cannotListen(InetSocketAddress address, IOException failed) {
        String host = address.getHostString();
        String where = (host.contains(":") ? "[" + host + "]:" : host + ":") + address.getPort();
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                failed,
                "cannot listen on {address}: {advice}",
                "advice",
                advice(failed),
                "address",
                where);
    }

    /**
     * Only the system's own text distinguishes a port in use from an address of another machine.
     */
    private static String advice(IOException failed) {
        Throwable refused = failed.getCause() == null ? failed : failed.getCause();
        String text = String.valueOf(refused.getMessage());
        if (text.contains("in use")) {
            return "another program uses this port; choose another with --port (or server.port); 0"
                    + " picks a free one";
        }
        if (text.contains("assign requested address")) {
            return "this machine has no such address; choose another with --host (or server.host)";
        }
        return text.contains("denied")
                ? "permission denied; ports below 1024 often need more rights"
                : text;
    }

    /** The port that was taken; -1 while it does not listen. */
    public int port() {
        List<Server> listening = servers;
        return listening.isEmpty() ? -1 : listening.getFirst().getPort();
    }

    private void register(PrometheusRegistry registry) {
        gauge(registry, "petrichor_connections", "Open connections.", sniffer::connections);
        gauge(
                registry,
                "petrichor_request_buffered_bytes",
                "Bytes of requests in memory.",
                budget::bytes);
        gauge(registry, "petrichor_requests_queued", "Requests waiting.", dispatcher::queued);
        if (certificates.present()) {
            gauge(
                    registry,
                    "petrichor_tls_certificate_expiry_seconds",
                    "End of the certificate's validity, seconds since 1970.",
                    () -> certificates.validUntil().getEpochSecond());
        }
    }

    private static void gauge(
            PrometheusRegistry registry, String name, String help, LongSupplier value) {
        var _ =
                GaugeWithCallback.builder()
                        .name(name)
                        .help(help)
                        .callback(now -> now.call((double) value.getAsLong()))
                        .register(registry);
    }

    /** Takes no new requests, lets those that run end within {@code patience}, then closes. */
    public void close(Duration patience) {
        health.enterTerminalState();
        rpc.drain();
        stop(servers, patience);
        dispatcher.close(patience);
        var _ = accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        if (rpc.network().isEmpty()) {
            var _ = network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private static void stop(List<Server> servers, Duration patience) {
        servers.forEach(Server::shutdown);
        long until = System.nanoTime() + patience.toNanos();
        try {
            for (Server server : servers) {
                if (!server.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    var _ = server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(10));
    }
}
