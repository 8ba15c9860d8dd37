package petrichor.server.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.AppQuotas;
import petrichor.base.PetrichorException;
import petrichor.services.queues.rabbitmq.RabbitMqBroker;

/**
 * Settings of the services for App Engine apps.
 *
 * @param defaultProject the app of calls in development whose ticket names none
 * @param targets where the requests to an app are sent, by project
 * @param cache where the cache of all apps is
 * @param tasks how tasks are delivered
 * @param services URL fetch, mail, users, search and channels
 * @param hosting of deployed apps
 */
public record AppSettings(
        String defaultProject,
        Map<String, URI> targets,
        CachePlace cache,
        TaskSettings tasks,
        AppServiceSettings services,
        Hosting hosting) {
    private static final Set<String> SCHEMES = Set.of("http", "https");

    /** Where the cache of all apps is. */
    public sealed interface CachePlace {
        /** In the memory of the owner of each app. */
        record InProcess(long bytes) implements CachePlace {}

        record Memcached(List<InetSocketAddress> servers) implements CachePlace {
            public Memcached {
                servers = List.copyOf(servers);
            }
        }
    }

    /**
     * How tasks are delivered.
     *
     * @param deliveriesMax at one time, of all apps
     * @param rabbitMq distributes tasks over all servers; empty if owners deliver their own
     */
    public record TaskSettings(int deliveriesMax, Optional<RabbitMqBroker> rabbitMq) {}

    /**
     * @param port of the router; 0 for a free one
     * @param tlsPort of the router with TLS; 0 for none
     * @param domain of the hosts of apps
     * @param folder of builds and instances; empty for the default
     * @param reachable servers of this machine that apps may connect to
     * @param quotas of apps that have none of their own
     */
    public record Hosting(
            int port,
            int tlsPort,
            String domain,
            Optional<Path> folder,
            List<InetSocketAddress> reachable,
            RouterOptions router,
            AppQuotas quotas) {
        public Hosting {
            reachable = List.copyOf(reachable);
        }
    }

    public AppSettings {
        targets = Map.copyOf(targets);
    }

    /** The same, with these apps. */
    public AppSettings withTargets(Map<String, URI> others) {
        return new AppSettings(defaultProject, others, cache, tasks, services, hosting);
    }

    /** The same, with tasks delivered in this way. */
    public AppSettings withTasks(TaskSettings other) {
        return new AppSettings(defaultProject, targets, cache, other, services, hosting);
    }

    static AppSettings of(Settings from) {
        return new AppSettings(
                from.value(ConfigKey.APPS_DEFAULT_PROJECT),
                targets(from.value(ConfigKey.APPS_TARGETS)),
                from.text(ConfigKey.CACHE_MEMCACHED)
                        .map(AppSettings::memcached)
                        .orElseGet(
                                () ->
                                        new CachePlace.InProcess(
                                                SettingValue.bytes(
                                                        from.value(ConfigKey.CACHE_MEMORY)))),
                new TaskSettings(
                        Math.toIntExact(
                                SettingValue.whole(from.value(ConfigKey.TASKS_DELIVERIES_MAX))),
                        from.text(ConfigKey.TASKS_RABBITMQ).map(RabbitMqBroker::of)),
                AppServiceSettings.of(from),
                new Hosting(
                        Math.toIntExact(SettingValue.whole(from.value(ConfigKey.APPS_PORT))),
                        Math.toIntExact(SettingValue.whole(from.value(ConfigKey.APPS_TLS_PORT))),
                        from.value(ConfigKey.APPS_DOMAIN),
                        from.path(ConfigKey.APPS_FOLDER),
                        from.text(ConfigKey.APPS_REACHABLE)
                                .map(AppSettings::reachable)
                                .orElse(List.of()),
                        RouterOptions.of(from),
                        from.text(ConfigKey.APPS_QUOTAS)
                                .map(AppQuotas::parse)
                                .orElse(AppQuotas.NONE)));
    }

    private static List<InetSocketAddress> reachable(String text) {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String server = part.strip();
            URI address = url("http://" + server);
            try {
                if (address == null || address.getPort() < 0 || !address.getPath().isEmpty()) {
                    throw new IllegalArgumentException(server);
                }
                String host = address.getHost().replace("[", "").replace("]", "");
                servers.add(new InetSocketAddress(InetAddress.ofLiteral(host), address.getPort()));
            } catch (IllegalArgumentException invalid) {
                throw PetrichorException.invalid(
                        "apps.reachable contains \"{server}\"; it must be ADDRESS:PORT with an IP"
                                + " address, such as 127.0.0.1:5432",
                        "server",
                        server);
            }
        }
        return servers;
    }

    private static CachePlace memcached(String text) {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String server = part.strip();
            URI address = url("http://" + server);
            if (address == null || address.getPort() < 0 || !address.getPath().isEmpty()) {
                throw PetrichorException.invalid(
                        "cache.memcached contains \"{server}\"; it must be HOST:PORT, such as"
                                + " localhost:11211",
                        "server",
                        server);
            }
            servers.add(InetSocketAddress.createUnresolved(address.getHost(), address.getPort()));
        }
        return new CachePlace.Memcached(servers);
    }

    private static Map<String, URI> targets(String text) {
        Map<String, URI> targets = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            String target = part.strip();
            if (target.isEmpty()) {
                continue;
            }
            int equals = target.indexOf('=');
            URI url = equals < 1 ? null : url(target.substring(equals + 1).strip());
            if (url == null) {
                throw PetrichorException.invalid(
                        "apps.targets contains \"{target}\"; it must be PROJECT=URL, such as"
                                + " demo=http://127.0.0.1:8080",
                        "target",
                        target);
            }
            if (targets.put(target.substring(0, equals).strip(), url) != null) {
                throw PetrichorException.invalid(
                        "apps.targets names the app of \"{target}\" twice; keep one of them",
                        "target",
                        target);
            }
        }
        return targets;
    }

    private static @Nullable URI url(String text) {
        try {
            URI url = new URI(text);
            boolean complete =
                    url.getHost() != null
                            && url.getScheme() != null
                            && SCHEMES.contains(url.getScheme());
            return complete ? url : null;
        } catch (URISyntaxException unreadable) {
            return null;
        }
    }
}
