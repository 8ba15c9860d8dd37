package petrichor.apps.router;

import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/** Where a request goes. */
sealed interface Route {
    /**
     * A version's handler.
     *
     * @param file relative to the target's folder; null if the target is an instance, or names none
     * @param bucket that the client's cookie must be set to
     */
    record Handled(
            VersionRoutes version,
            Optional<String> instance,
            HandlerTarget target,
            @Nullable String file,
            Protection protection,
            OptionalInt bucket)
            implements Route {}

    /** The platform's own server, for an app. */
    record Platform(VersionName version) implements Route {}

    /**
     * @param version null if it is unknown
     */
    record Refused(RouterFailure failure, @Nullable VersionRoutes version) implements Route {}
}
