package petrichor.apps.manifest;

import java.util.List;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * An entry of {@code handlers}: the URLs, what they lead to, and who has access.
 *
 * @param url of a static directory, the prefix of its URLs
 */
public record UrlHandler(UrlPattern url, HandlerTarget target, Access access) {

    /** Who has to be signed in. */
    public enum Login {
        OPTIONAL,
        REQUIRED,
        ADMIN
    }

    /** What happens without a sign-in that {@link Login} asks for. */
    public enum AuthFailAction {
        /** To the sign-in page. */
        REDIRECT,
        /** Status 401. */
        UNAUTHORIZED
    }

    /** Which protocol is allowed; a request over the other one is redirected. */
    public enum Secure {
        OPTIONAL,
        NEVER,
        ALWAYS
    }

    /**
     * @param redirectStatus of a redirect because of {@code secure}: 301, 302, 303 or 307
     */
    public record Access(
            Login login, AuthFailAction authFailAction, Secure secure, int redirectStatus) {
        static final List<Integer> REDIRECT_STATUSES = List.of(301, 302, 303, 307);

        public static final Access DEFAULT =
                new Access(Login.OPTIONAL, AuthFailAction.REDIRECT, Secure.OPTIONAL, 302);

        public Access {
            if (!REDIRECT_STATUSES.contains(redirectStatus)) {
                throw PetrichorException.invalid(
                        "The status {status} does not redirect; write one of {statuses}.",
                        "status",
                        redirectStatus,
                        "statuses",
                        REDIRECT_STATUSES);
            }
        }
    }

    public UrlHandler {
        if (target instanceof HandlerTarget.StaticFiles files) {
            files.check(url);
        }
    }

    /**
     * Where a path leads; empty if this handler does not match it.
     *
     * @param path decoded, without the query
     */
    Optional<Destination> match(String path) {
        return url.match(path).map(groups -> destination(target, groups));
    }

    private static Destination destination(HandlerTarget target, List<String> groups) {
        return switch (target) {
            case HandlerTarget.Script() -> new Destination.App();
            case HandlerTarget.StaticFiles(
                            String file,
                            UrlPattern upload,
                            StaticOptions options) -> {
                String name = UrlPattern.expand(file, groups);
                yield upload.matches(name)
                        ? Destination.file(name, options)
                        : new Destination.NotFound(options);
            }
            case HandlerTarget.StaticDirectory(String folder, StaticOptions options) ->
                    Destination.file(
                            (folder.isEmpty() ? "" : folder + "/") + groups.getLast(), options);
        };
    }
}
