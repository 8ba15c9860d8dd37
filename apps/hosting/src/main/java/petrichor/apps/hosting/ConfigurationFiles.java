package petrichor.apps.hosting;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.AppConfiguration;
import petrichor.apps.catalog.AppConfiguration.DispatchRoute;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.manifest.DispatchYaml;
import petrichor.apps.router.table.DispatchRule;
import petrichor.base.ErrorCode;
import petrichor.base.NearestName;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;

/**
 * The files of an app that apply to all its services: {@code dispatch.yaml}, and those of {@link
 * ServiceDefinitions}. A file that is deployed replaces the former one of its name; a file that is
 * missing changes nothing. They are valid for the app: nothing has changed before that is known.
 */
final class ConfigurationFiles {
    private static final String DISPATCH_YAML = "dispatch.yaml";

    private final Optional<List<DispatchRoute>> dispatch;
    private final ServiceDefinitions.Checked services;

    private ConfigurationFiles(
            Optional<List<DispatchRoute>> dispatch, ServiceDefinitions.Checked services) {
        this.dispatch = dispatch;
        this.services = services;
    }

    /** The names of these files. */
    static Set<String> files(ServiceDefinitions services) {
        Set<String> all = new TreeSet<>(services.files());
        all.add(DISPATCH_YAML);
        return all;
    }

    /** Whether there is one of these files. */
    static boolean areIn(Path sources, ServiceDefinitions services) {
        return files(services).stream()
                .anyMatch(file -> AppManifest.text(sources, file).isPresent());
    }

    /**
     * Reads the files of a folder.
     *
     * @param known the app; null if it does not exist
     * @param deployed the service that is deployed; empty if only the files are
     */
    static ConfigurationFiles check(
            Path sources,
            ServiceDefinitions services,
            String app,
            @Nullable AppRecord known,
            Optional<String> deployed) {
        Set<String> existing = new HashSet<>(known == null ? Set.of() : known.services().keySet());
        deployed.ifPresent(existing::add);
        Optional<List<DispatchRoute>> dispatch =
                AppManifest.text(sources, DISPATCH_YAML).map(text -> routes(text, existing));
        Map<String, String> texts = new HashMap<>();
        for (String file : services.files()) {
            AppManifest.text(sources, file).ifPresent(text -> texts.put(file, text));
        }
        return new ConfigurationFiles(dispatch, atOwner(() -> services.check(app, texts)));
    }

    /** The services of a project change on the server that owns its database. */
    private static <T> T atOwner(Supplier<T> work) {
        try {
            return work.get();
        } catch (NotOwner elsewhere) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    elsewhere,
                    "another server of the cluster owns the project's database, and applies its"
                            + " queues, cron jobs and indexes; deploy to that server, which"
                            + " `petrichor cluster status` shows");
        }
    }

    private static List<DispatchRoute> routes(String text, Set<String> existing) {
        List<DispatchRoute> routes = new ArrayList<>();
        for (DispatchYaml.Rule rule : DispatchYaml.parse(DISPATCH_YAML, text).rules()) {
            String url = rule.host() + rule.path();
            if (!existing.contains(rule.service())) {
                throw PetrichorException.invalid(
                        "{file}: the rule {url} names the service {service}, which the app does not"
                                + " have; deploy it first{nearest}",
                        "file",
                        DISPATCH_YAML,
                        "url",
                        url,
                        "service",
                        rule.service(),
                        "nearest",
                        NearestName.closeTo(rule.service(), existing)
                                .map(name -> ", or write " + name)
                                .orElse(""));
            }
            var _ = DispatchRule.of(url, rule.service());
            routes.add(new DispatchRoute(url, rule.service()));
        }
        return routes;
    }

    /** Applies all but {@code dispatch.yaml}, which {@link #configured} contains. */
    List<AppliedFile> apply(AppConfiguration former) {
        List<AppliedFile> applied = new ArrayList<>(atOwner(() -> services.apply(former.queues())));
        dispatch.ifPresent(
                routes ->
                        applied.add(
                                new AppliedFile(
                                        DISPATCH_YAML,
                                        routes.stream().map(DispatchRoute::url).toList(),
                                        List.of())));
        return applied;
    }

    AppConfiguration configured(AppConfiguration before) {
        AppConfiguration after = before;
        if (dispatch.isPresent()) {
            after = after.withDispatch(dispatch.get());
        }
        if (services.queues().isPresent()) {
            after = after.withQueues(services.queues().get());
        }
        return after;
    }
}
