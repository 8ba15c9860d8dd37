package petrichor.apps.hosting;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import petrichor.apps.manifest.ErrorHandler;
import petrichor.apps.manifest.Routes;
import petrichor.apps.manifest.StaticOptions;
import petrichor.apps.router.table.ErrorPages;
import petrichor.apps.router.table.FileOptions;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/** Translates the handlers of {@code app.yaml} into those of the router. */
final class VersionRouting {
    /** Requests to versions with basic and manual scaling may run for a day. */
    private static final VersionRoutes.Timeouts LONG =
            new VersionRoutes.Timeouts(
                    Duration.ofHours(24), Duration.ofSeconds(60), Duration.ofMinutes(10));

    private VersionRouting() {}

    static VersionRoutes of(
            VersionName name, AppManifest manifest, Path sources, StaticTree files) {
        Routes routes = manifest.yaml().routes();
        List<UrlHandler> handlers = new ArrayList<>();
        int number = 0;
        for (petrichor.apps.manifest.UrlHandler handler : routes.handlers()) {
            handlers.add(
                    UrlHandler.of(
                            handler.url().text(),
                            protection(handler.access()),
                            target(handler.target(), files.root(number), routes)));
            number++;
        }
        // What no handler matches goes to the app.
        handlers.add(UrlHandler.instances());
        return new VersionRoutes(
                name,
                handlers,
                errorPages(routes, sources),
                manifest.yaml().scaling().isAutomatic() ? VersionRoutes.Timeouts.DEFAULT : LONG);
    }

    private static Protection protection(petrichor.apps.manifest.UrlHandler.Access access) {
        return new Protection(
                switch (access.login()) {
                    case OPTIONAL -> Protection.Login.OPTIONAL;
                    case REQUIRED -> Protection.Login.REQUIRED;
                    case ADMIN -> Protection.Login.ADMIN;
                },
                switch (access.authFailAction()) {
                    case REDIRECT -> Protection.AuthFail.REDIRECT;
                    case UNAUTHORIZED -> Protection.AuthFail.UNAUTHORIZED;
                },
                switch (access.secure()) {
                    case OPTIONAL -> Protection.Secure.OPTIONAL;
                    case NEVER -> Protection.Secure.NEVER;
                    case ALWAYS -> Protection.Secure.ALWAYS;
                },
                access.redirectStatus());
    }

    private static HandlerTarget target(
            petrichor.apps.manifest.HandlerTarget target, Path root, Routes routes) {
        return switch (target) {
            case petrichor.apps.manifest.HandlerTarget.Script() -> new HandlerTarget.Instances();
            case petrichor.apps.manifest.HandlerTarget.StaticDirectory(_, var options) ->
                    new HandlerTarget.Folder(root, options(options, routes));
            case petrichor.apps.manifest.HandlerTarget.StaticFiles(
                            String template,
                            _,
                            var options) ->
                    new HandlerTarget.File(root, template, options(options, routes));
        };
    }

    private static FileOptions options(StaticOptions options, Routes routes) {
        return new FileOptions(
                options.mimeType(),
                options.expiration().orElse(routes.defaultExpiration()),
                options.headers(),
                options.flags().contains(StaticOptions.Flag.REQUIRE_MATCHING_FILE));
    }

    private static ErrorPages errorPages(Routes routes, Path sources) {
        Map<ErrorPages.Kind, ErrorPages.Page> pages = new EnumMap<>(ErrorPages.Kind.class);
        for (ErrorHandler handler : routes.errorHandlers()) {
            switch (handler.code()) {
                case DEFAULT -> pages.put(ErrorPages.Kind.DEFAULT, page(handler, sources));
                case OVER_QUOTA -> pages.put(ErrorPages.Kind.OVER_QUOTA, page(handler, sources));
                case TIMEOUT -> pages.put(ErrorPages.Kind.TIMEOUT, page(handler, sources));
                case DOS_API_DENIAL -> {} // the platform has no such list
            }
        }
        return new ErrorPages(pages);
    }

    private static ErrorPages.Page page(ErrorHandler handler, Path sources) {
        Path file = sources.resolve(handler.file()).normalize();
        if (!file.startsWith(sources) || !Files.isRegularFile(file)) {
            throw PetrichorException.invalid(
                    "the error page {file} is not a file of the app", "file", handler.file());
        }
        try {
            return new ErrorPages.Page(
                    Files.readAllBytes(file), handler.mimeType().orElse("text/html"));
        } catch (IOException e) {
            throw FileProblem.of("cannot read the error page " + handler.file(), e);
        }
    }
}
