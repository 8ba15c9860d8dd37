package petrichor.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cluster.ClusterSettings;
import petrichor.entities.ReadContexts;
import petrichor.frontends.access.AuditSettings;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.StoreUrl;
import petrichor.rpc.PeerCertificates;
import petrichor.transactions.TransactionLimits;

/**
 * The configuration as typed values. {@link ConfigKey} has keys, defaults and their documentation;
 * {@link Settings} the origin of each value.
 */
public record ServerConfig(
        Listen server,
        Store store,
        Cluster cluster,
        Access auth,
        Optional<FrontEndSettings.Tls> tls,
        Indexes indexes,
        Transactions transactions,
        Jobs jobs,
        AppSettings apps,
        FrontEndSettings.Limits limits,
        Log log) {
    /**
     * @param lockWait longest wait of a request for locks
     * @param idleTimeout a transaction without requests for this long ends
     * @param totalTimeout a transaction ends after this time
     * @param retention maximum age of {@code read_time}
     * @param consumerHold how long changes are kept for consumers of the change feed
     */
    public record Transactions(
            ReadContexts.Concurrency concurrency,
            Duration lockWait,
            Duration idleTimeout,
            Duration totalTimeout,
            Duration retention,
            Duration consumerHold) {
        public TransactionLimits limits() {
            return TransactionLimits.DEFAULT
                    .withLockWait(lockWait)
                    .withRetention(retention)
                    .withConsumerHold(consumerHold)
                    .withLifetime(idleTimeout, totalTimeout);
        }
    }

    /**
     * @param host to listen on
     * @param port 0 picks a free one
     * @param insecure allows listening beyond this machine without authentication
     * @param drain time for running requests to finish when the server stops
     * @param names host names of the server, in addition to localhost and its addresses
     * @param memoryPercent share of the heap for memory that grows with clients' requests
     * @param sql for PostgreSQL's clients
     */
    public record Listen(
            String host,
            int port,
            boolean insecure,
            Duration drain,
            Set<String> names,
            int memoryPercent,
            SqlSettings sql) {
        public Listen {
            names = Set.copyOf(names);
        }

        /** With defaults for the other components. */
        public Listen(String host, int port, boolean insecure, Duration drain) {
            this(
                    host,
                    port,
                    insecure,
                    drain,
                    Set.of(),
                    Integer.parseInt(ConfigKey.SERVER_MEMORY_PERCENT.standard()),
                    SqlSettings.NONE);
        }

        /** For PostgreSQL's clients; 0: none. */
        public int sqlPort() {
            return sql.port();
        }
    }

    /**
     * @param memory keeps all data in memory and discards it at exit
     * @param data folder of the embedded store
     * @param cacheBytes block cache of the embedded store
     * @param url another datastore instead of the embedded one, with its password
     * @param placed data placed in other stores
     * @param lease how long reads are served after the last answer of the store
     * @param startTimeout how long a start waits for the store and for ZooKeeper
     * @param exports folder for exports and imports of the Admin API
     * @param replicationTargets file of deployments to which databases may be replicated
     * @param upstream another endpoint, in front of which this server runs
     */
    public record Store(
            boolean memory,
            Path data,
            long cacheBytes,
            Optional<StoreUrl> url,
            PlacementSettings placed,
            Duration lease,
            Duration startTimeout,
            Optional<Path> exports,
            Optional<Path> replicationTargets,
            Optional<UpstreamOptions> upstream) {
        public Store {
            if (memory && url.isPresent()) {
                throw PetrichorException.invalid(
                        "store.memory and store.url are both set; keep one of them");
            }
            if (memory && !placed.rules().isEmpty()) {
                throw PetrichorException.invalid(
                        "store.memory and a [placement] in other stores are both set: their data"
                                + " would outlive the data in memory; keep one of them");
            }
            requireStoresApart(url, placed);
        }

        private Store withPlaces(Optional<Path> exportFolder, Optional<Path> targets) {
            return new Store(
                    memory,
                    data,
                    cacheBytes,
                    url,
                    placed,
                    lease,
                    startTimeout,
                    exportFolder,
                    targets,
                    upstream);
        }

        /** Refuses two names for the same store: they would overwrite each other's data. */
        private static void requireStoresApart(Optional<StoreUrl> url, PlacementSettings placed) {
            Map<String, String> names = new HashMap<>();
            url.ifPresent(home -> names.put(home.toString(), "store.url"));
            placed.stores()
                    .forEach(
                            (name, store) -> {
                                String other = names.put(store.url().toString(), "stores." + name);
                                if (other != null) {
                                    throw PetrichorException.invalid(
                                            "stores.{name} is the same store as {other}: give each"
                                                    + " its own address, or remove the section",
                                            "name",
                                            name,
                                            "other",
                                            other);
                                }
                            });
        }
    }

    /**
     * @param coordination address of the coordination service; empty for a standalone server
     * @param address where other servers reach this one; empty for its listen address
     * @param token shared secret of the servers
     * @param certificates for TLS between servers
     * @param lease how long a silent server keeps its databases
     * @param rebalance hands databases over to servers that join
     */
    public record Cluster(
            Optional<StoreUrl> coordination,
            Optional<String> address,
            Optional<String> token,
            Optional<PeerCertificates.Files> certificates,
            Duration lease,
            boolean rebalance) {
        public Cluster {
            if (coordination.isEmpty()
                    && (address.isPresent() || token.isPresent() || certificates.isPresent())) {
                throw PetrichorException.invalid(
                        "cluster.address, cluster.token or cluster.certificate is set without"
                                + " cluster.coordination, so this server is standalone");
            }
            if (lease.compareTo(ClusterSettings.LEASE_MIN) < 0) {
                throw PetrichorException.invalid(
                        "cluster.lease must be at least {leaseMin}ms, not {lease}ms",
                        "leaseMin",
                        ClusterSettings.LEASE_MIN.toMillis(),
                        "lease",
                        lease.toMillis());
            }
        }
    }

    /**
     * A single token with all rights, either in the configuration or, preferably, in a separate
     * file; and a tokens file with roles. Both may be used together.
     *
     * @param reloadEvery interval of the checks for changed token and certificate files
     */
    public record Access(
            Optional<String> token,
            Optional<Path> tokenFile,
            Optional<Path> tokensFile,
            Duration reloadEvery) {
        public Access {
            if (token.isPresent() && tokenFile.isPresent()) {
                throw PetrichorException.invalid(
                        "auth.token and auth.token-file are both set; keep one of them");
            }
        }

        /** Whether callers must authenticate. */
        public boolean required() {
            return token.isPresent() || tokenFile.isPresent() || tokensFile.isPresent();
        }
    }

    /**
     * @param file index.yaml with the composite indexes
     * @param automatic creates a missing index when a query needs it, as Google's emulator does
     */
    public record Indexes(Optional<Path> file, boolean automatic) {}

    /**
     * @param enabled whether jobs may be submitted
     * @param folder for jobs and their history; empty for the default
     * @param runningMax maximum number of running jobs
     * @param queuedMax maximum number of queued jobs
     * @param memoryBytes heap of each job process
     * @param spillBytesMax maximum size of a job's spill files, and again of the files between its
     *     stages
     * @param keptBytesMax maximum size of the files of resumable jobs
     * @param keptTimeMax how long these files are kept
     */
    public record Jobs(
            boolean enabled,
            Optional<Path> folder,
            int runningMax,
            int queuedMax,
            long memoryBytes,
            long spillBytesMax,
            long keptBytesMax,
            Duration keptTimeMax) {}

    /**
     * Format and level of the log.
     *
     * @param audit the other log: who asked for what
     * @param traces spans of requests, for a collector
     */
    public record Log(Format format, Level level, AuditSettings audit, TraceSettings traces) {
        /** Before the rest of the settings is known to be usable. */
        public static Log of(Settings from) {
            return new Log(
                    Format.valueOf(from.upper(ConfigKey.LOG_FORMAT)),
                    Level.valueOf(from.upper(ConfigKey.LOG_LEVEL)),
                    new AuditSettings(
                            AuditSettings.Events.valueOf(from.upper(ConfigKey.AUDIT_EVENTS)),
                            Path.of(from.value(ConfigKey.AUDIT_FILE)),
                            SettingValue.bytes(from.value(ConfigKey.AUDIT_FILE_BYTES_MAX)),
                            from.whole(ConfigKey.AUDIT_FILES_MAX)),
                    TraceSettings.of(from));
        }

        /** Human-readable lines, or one JSON object per line. */
        public enum Format {
            AUTO,
            HUMAN,
            JSON
        }

        /** The lowest level that is logged. */
        public enum Level {
            DEBUG,
            INFO,
            WARN,
            ERROR
        }
    }

    public static ServerConfig defaults() {
        return of(Settings.read(Optional.empty(), Map.of(), Map.of()));
    }

    /** INVALID_ARGUMENT if individually valid values contradict each other. */
    public static ServerConfig of(Settings from) {
        return new ServerConfig(
                new Listen(
                        from.value(ConfigKey.SERVER_HOST),
                        from.whole(ConfigKey.SERVER_PORT),
                        from.flag(ConfigKey.SERVER_INSECURE),
                        from.duration(ConfigKey.SERVER_DRAIN_TIMEOUT),
                        names(from.value(ConfigKey.SERVER_NAMES)),
                        from.whole(ConfigKey.SERVER_MEMORY_PERCENT),
                        SqlSettings.of(from)),
                new Store(
                        from.flag(ConfigKey.STORE_MEMORY),
                        Path.of(from.value(ConfigKey.STORE_DATA)),
                        from.text(ConfigKey.STORE_CACHE)
                                .map(SettingValue::bytes)
                                .orElseGet(EmbeddedCache::usualBytes),
                        StoreAddress.of(from),
                        from.placement(),
                        from.duration(ConfigKey.STORE_LEASE),
                        from.duration(ConfigKey.SERVER_START_TIMEOUT),
                        from.path(ConfigKey.STORE_EXPORT_FOLDER),
                        from.path(ConfigKey.REPLICATION_TARGETS_FILE),
                        UpstreamOptions.of(from)),
                new Cluster(
                        from.text(ConfigKey.CLUSTER_COORDINATION).map(StoreUrl::parse),
                        from.text(ConfigKey.CLUSTER_ADDRESS),
                        from.text(ConfigKey.CLUSTER_TOKEN),
                        CertificateSettings.ofPeers(from),
                        from.duration(ConfigKey.CLUSTER_LEASE),
                        from.flag(ConfigKey.CLUSTER_REBALANCE)),
                new Access(
                        from.text(ConfigKey.AUTH_TOKEN),
                        from.path(ConfigKey.AUTH_TOKEN_FILE),
                        from.path(ConfigKey.AUTH_TOKENS_FILE),
                        from.duration(ConfigKey.SERVER_RELOAD_INTERVAL)),
                CertificateSettings.ofListener(from),
                new Indexes(
                        from.path(ConfigKey.INDEXES_FILE), from.flag(ConfigKey.INDEXES_AUTOMATIC)),
                new Transactions(
                        ReadContexts.Concurrency.valueOf(
                                from.upper(ConfigKey.TRANSACTIONS_CONCURRENCY)),
                        from.duration(ConfigKey.TRANSACTIONS_LOCK_WAIT),
                        from.duration(ConfigKey.TRANSACTIONS_IDLE_TIMEOUT),
                        from.duration(ConfigKey.TRANSACTIONS_TOTAL_TIMEOUT),
                        from.duration(ConfigKey.TRANSACTIONS_RETENTION),
                        from.duration(ConfigKey.TRANSACTIONS_CONSUMER_HOLD)),
                new Jobs(
                        from.flag(ConfigKey.JOBS_ENABLED),
                        from.path(ConfigKey.JOBS_FOLDER),
                        from.whole(ConfigKey.JOBS_RUNNING_MAX),
                        from.whole(ConfigKey.JOBS_QUEUED_MAX),
                        SettingValue.bytes(from.value(ConfigKey.JOBS_MEMORY)),
                        SettingValue.bytes(from.value(ConfigKey.JOBS_SPILL_BYTES_MAX)),
                        SettingValue.bytes(from.value(ConfigKey.JOBS_KEPT_BYTES_MAX)),
                        SettingValue.duration(from.value(ConfigKey.JOBS_KEPT_TIME_MAX))),
                AppSettings.of(from),
                LimitSettings.of(from),
                Log.of(from));
    }

    private static Set<String> names(String text) {
        return Arrays.stream(text.split(","))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
    }

    public ServerConfig withPort(int port) {
        return withServer(
                new Listen(
                        server.host(),
                        port,
                        server.insecure(),
                        server.drain(),
                        server.names(),
                        server.memoryPercent(),
                        server.sql()));
    }

    public ServerConfig withServer(Listen listen) {
        return new ServerConfig(
                listen, store, cluster, auth, tls, indexes, transactions, jobs, apps, limits, log);
    }

    public ServerConfig withMemory() {
        return withStore(true, store.data(), Optional.empty());
    }

    public ServerConfig withData(Path data) {
        return withStore(false, data, Optional.empty());
    }

    public ServerConfig withStoreUrl(StoreUrl url) {
        return withStore(false, store.data(), Optional.of(url));
    }

    private ServerConfig withStore(boolean memory, Path data, Optional<StoreUrl> url) {
        return withStore(
                new Store(
                        memory,
                        data,
                        store.cacheBytes(),
                        url,
                        store.placed(),
                        store.lease(),
                        store.startTimeout(),
                        store.exports(),
                        store.replicationTargets(),
                        store.upstream()));
    }

    public ServerConfig withExports(Path folder) {
        return withStore(store.withPlaces(Optional.of(folder), store.replicationTargets()));
    }

    public ServerConfig withReplicationTargets(Path file) {
        return withStore(store.withPlaces(store.exports(), Optional.of(file)));
    }

    public ServerConfig withStore(Store other) {
        return new ServerConfig(
                server, other, cluster, auth, tls, indexes, transactions, jobs, apps, limits, log);
    }

    public ServerConfig withCluster(Cluster other) {
        return new ServerConfig(
                server, store, other, auth, tls, indexes, transactions, jobs, apps, limits, log);
    }

    public ServerConfig withIndexes(@Nullable Path file, boolean automatic) {
        Indexes other = new Indexes(Optional.ofNullable(file), automatic);
        return new ServerConfig(
                server, store, cluster, auth, tls, other, transactions, jobs, apps, limits, log);
    }

    public ServerConfig withTransactions(Transactions other) {
        return new ServerConfig(
                server, store, cluster, auth, tls, indexes, other, jobs, apps, limits, log);
    }

    public ServerConfig withJobs(Jobs other) {
        return new ServerConfig(
                server, store, cluster, auth, tls, indexes, transactions, other, apps, limits, log);
    }

    public ServerConfig withApps(AppSettings other) {
        return new ServerConfig(
                server, store, cluster, auth, tls, indexes, transactions, jobs, other, limits, log);
    }

    public ServerConfig withLimits(FrontEndSettings.Limits other) {
        return new ServerConfig(
                server, store, cluster, auth, tls, indexes, transactions, jobs, apps, other, log);
    }

    public ServerConfig withToken(String token) {
        return withAuth(
                new Access(
                        Optional.of(token),
                        Optional.empty(),
                        Optional.empty(),
                        auth.reloadEvery()));
    }

    public ServerConfig withAuth(Access other) {
        return new ServerConfig(
                server, store, cluster, other, tls, indexes, transactions, jobs, apps, limits, log);
    }

    public ServerConfig withLog(Log other) {
        return new ServerConfig(
                server,
                store,
                cluster,
                auth,
                tls,
                indexes,
                transactions,
                jobs,
                apps,
                limits,
                other);
    }

    public ServerConfig withTls(FrontEndSettings.Tls files) {
        return new ServerConfig(
                server,
                store,
                cluster,
                auth,
                Optional.of(files),
                indexes,
                transactions,
                jobs,
                apps,
                limits,
                log);
    }
}
