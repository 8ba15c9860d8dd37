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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.AppCallers;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.http.Page;
import petrichor.rpc.NetworkTransport;
import petrichor.rpc.PeerMethods;
import petrichor.rpc.Rpc;

/**
 * Serves Datastore v1 over gRPC and REST on one port. Owns its threads and connections; the {@link
 * Datastore} belongs to the caller and must be closed after this object.
 */
public final class DatastoreFrontEnd implements AutoCloseable {
    /** Effectively infinite: {@link ProtocolSniffer} enforces idle timeouts. */
    private static final long NEVER_DAYS = 3_650;

    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final int FREE_PORT_ATTEMPTS = 20;
    private static final int SWEEPS_PER_TIMEOUT = 4;

    /** Maximum number of cancelled calls per connection and window, against floods of resets. */
    private static final int RESETS_MAX = 5_000;

    private static final int RESETS_WINDOW_S = 10;
    private static final int ACCEPT_QUEUE = 1_024;

    /** Default share of the heap, if no budget is passed. */
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

    private final AuditLog audit;
    private final FrontEndSettings settings;
    private final Rpc rpc;
    private final HealthStatusManager health = new HealthStatusManager();
    private final Authenticator gate;

    /** gRPC services other than the API, which require authentication. */
    private final List<ServerServiceDefinition> guarded = new ArrayList<>();

    /** One per address; all share the same threads and limits. */
    private volatile List<Server> servers = List.of();

    /** Does not listen yet. FAILED_PRECONDITION if the certificate is invalid. */
    public DatastoreFrontEnd(Datastore datastore, FrontEndSettings settings) {
        this(datastore, settings, Rpc.STANDALONE);
    }

    /** A member of a cluster, with a separate memory budget. */
    public DatastoreFrontEnd(Datastore datastore, FrontEndSettings settings, Rpc rpc) {
        this(datastore, settings, rpc, MemoryBudget.ofHeap(MEMORY_PERCENT), Observability.none());
    }

    /**
     * @param memory of the process; requests and responses get their shares of it
     */
    public DatastoreFrontEnd(
            Datastore datastore,
            FrontEndSettings settings,
            Rpc rpc,
            MemoryBudget memory,
            Observability observability) {
        this.settings = settings;
        this.rpc = rpc;
        requireAuthentication(settings, rpc);
        this.gate = new Authenticator(settings.tokens(), observability.audit());
        this.metrics =
                new RequestMetrics(
                        observability.metrics(), new RequestTracer(observability.tracer()));
        this.pages = new CopyOnWriteArrayList<>();
        this.dispatcher = new Dispatcher(datastore, settings.execution());
        this.budget = new RequestBudget(memory, settings.limits().bufferedBytesMax());
        this.parser = new RequestParser(budget);
        this.guard = new BrowserGuard(settings.tokens().required(), settings.names());
        this.intake = new GrpcIntake(budget, settings.limits().requestWithin(), dispatcher::refuse);
        this.service = new DatastoreService(dispatcher, parser, metrics, rpc.routing());
        rpc.register(service);
        this.audit = observability.audit();
        HttpRequests requests = requests(gate, guard, pages);
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
        register(observability.metrics());
    }

    private HttpRequests requests(Authenticator by, BrowserGuard against, List<Page> answering) {
        return new HttpRequests(
                dispatcher,
                service,
                budget,
                by,
                against,
                settings.limits().executionWithin(),
                metrics,
                answering);
    }

    /**
     * Starts listening; serves requests when it returns. UNAVAILABLE if an address cannot be bound.
     *
     * @param besides additional HTTP pages
     */
    public void listen(List<Page> besides) {
        listen(besides, List.of());
    }

    /**
     * @param services additional gRPC services, which require authentication
     */
    public void listen(List<Page> besides, List<ServerServiceDefinition> services) {
        listenBeforeReady(besides, services);
        health.setStatus(DatastoreMethod.SERVICE, HealthCheckResponse.ServingStatus.SERVING);
    }

    /** Like {@link #listen}, but gRPC's health service initially reports NOT_SERVING. */
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

    /** Binds all addresses or none. */
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
                // a port that is free on one address may be in use on another
                boolean unlucky = settings.port() == 0 && !listening.isEmpty();
                if (!unlucky || attempt == FREE_PORT_ATTEMPTS) {
                    throw taken;
                }
            }
        }
    }

    private Server start(InetSocketAddress address) {
        NettyServerBuilder builder = grpc(address, sniffer, gate, guard);
        guarded.forEach(builder::addService);
        for (ServerServiceDefinition peers : rpc.services()) {
            builder.addService(
                    ServerInterceptors.intercept(peers, intake.bounded(DatastoreFrontEnd::isRead)));
        }
        return start(builder, address);
    }

    private static Server start(NettyServerBuilder builder, InetSocketAddress address) {
        try {
            return builder.build().start();
        } catch (IOException failed) {
            throw cannotListen(address, failed);
        }
    }

    /**
     * Also listens at a free port of the loopback address for instances of apps, which are
     * identified by their connections, without TLS. This port has the API and what is passed here,
     * and no page for operators. Returns its address.
     *
     * @param besides pages for apps
     * @param services further gRPC services for apps
     */
    public synchronized InetSocketAddress listenForApps(
            AppCallers callers, List<Page> besides, List<ServerServiceDefinition> services) {
        Authenticator by = new Authenticator(callers, audit);
        // Only instances are admitted, and the pages that a browser shows cannot connect for them.
        BrowserGuard none = new BrowserGuard(true, Set.of());
        HttpRequests requests = requests(by, none, List.copyOf(besides));
        InetSocketAddress any = new InetSocketAddress(LOOPBACK, 0);
        NettyServerBuilder builder =
                grpc(
                        any,
                        new ProtocolSniffer(
                                settings.limits(),
                                new TlsSelection(new Certificates(null), Optional.empty()),
                                () -> new HttpConnection(settings.limits(), budget, requests)),
                        by,
                        none);
        services.forEach(
                one -> builder.addService(ServerInterceptors.intercept(one, by.interceptor())));
        Server server = start(builder, any);
        InetSocketAddress address = new InetSocketAddress(LOOPBACK, server.getPort());
        by.appsConnectTo(address);
        List<Server> all = new ArrayList<>(servers);
        all.add(server);
        servers = List.copyOf(all);
        return address;
    }

    /** Sends new requests to another datastore; running ones complete on the previous one. */
    public void serve(Datastore datastore) {
        dispatcher.serve(datastore);
    }

    /** From now on, calls of the API go this way. */
    public void route(CallRoute calls) {
        dispatcher.route(calls);
    }

    /** Sets the tokens for new requests; running requests are not affected. */
    public void accept(AccessTokens tokens) {
        gate.replace(tokens);
    }

    /**
     * Reads the certificate and its key again, for new connections. FAILED_PRECONDITION if they are
     * invalid or have expired; then the previous certificate stays.
     */
    public void renewCertificate() {
        certificates.renew();
    }

    private NettyServerBuilder grpc(
            InetSocketAddress address,
            ProtocolSniffer protocols,
            Authenticator by,
            BrowserGuard against) {
        FrontEndSettings.Limits limits = settings.limits();
        return NettyServerBuilder.forAddress(address)
                .protocolNegotiator(protocols)
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
                .permitKeepAliveTime(CLIENT_PINGS_AT_MOST_EVERY.toSeconds(), TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxRstFramesPerWindow(RESETS_MAX, RESETS_WINDOW_S)
                .addStreamTracerFactory(intake)
                .addTransportFilter(intake.connections())
                .addService(health.getHealthService())
                .addService(
                        new GrpcService(service, by, against, metrics, limits.executionWithin())
                                .definition());
    }

    /** Whether a call forwarded by another server is a read. */
    private static boolean isRead(Metadata headers) {
        return PeerMethods.routedMethod(headers)
                .flatMap(DatastoreMethod::ofFullName)
                .map(DatastoreMethod::onlyReads)
                .orElse(false);
    }

    /** Otherwise a client without a token could impersonate a peer. */
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

    /** Only the system's message distinguishes a port in use from an address of another machine. */
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

    /** The bound port; -1 while it does not listen. */
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

    /** Accepts no new requests, waits at most {@code timeout} for running ones, then closes. */
    public void close(Duration timeout) {
        health.enterTerminalState();
        rpc.drain();
        stop(servers, timeout);
        dispatcher.close(timeout);
        var _ = accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        if (rpc.network().isEmpty()) {
            var _ = network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private static void stop(List<Server> servers, Duration timeout) {
        servers.forEach(Server::shutdown);
        long until = System.nanoTime() + timeout.toNanos();
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
