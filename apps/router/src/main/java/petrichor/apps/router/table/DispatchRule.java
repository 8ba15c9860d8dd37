package petrichor.apps.router.table;

import java.util.Locale;
import petrichor.base.PetrichorException;

/**
 * A rule of {@code dispatch.yaml}: requests whose host and path match its patterns go to the given
 * service. A host pattern may start with {@code *}, a path pattern may end with {@code *}.
 */
public final class DispatchRule {
    private final String host;
    private final boolean anyHostPrefix;
    private final String path;
    private final boolean anyPathSuffix;
    private final String service;

    private DispatchRule(String host, String path, String service) {
        this.anyHostPrefix = host.startsWith("*");
        this.host = (anyHostPrefix ? host.substring(1) : host).toLowerCase(Locale.ROOT);
        this.anyPathSuffix = path.endsWith("*");
        this.path = anyPathSuffix ? path.substring(0, path.length() - 1) : path;
        this.service = service;
        if (this.host.contains("*") || this.path.contains("*")) {
            throw PetrichorException.invalid(
                    "the dispatch url '{url}' has a * inside; only a host may start and a path end"
                            + " with it",
                    "url",
                    host + path);
        }
    }

    /**
     * @param url as in {@code dispatch.yaml}, such as {@code *}{@code /mobile/*}
     */
    public static DispatchRule of(String url, String service) {
        int slash = url.indexOf('/');
        if (slash <= 0) {
            throw PetrichorException.invalid(
                    "the dispatch url '{url}' needs a host pattern and a path pattern, such as"
                            + " */mobile/*",
                    "url",
                    url);
        }
        return new DispatchRule(url.substring(0, slash), url.substring(slash), service);
    }

    public String service() {
        return service;
    }

    boolean matches(String ofHost, String ofPath) {
        return (anyHostPrefix ? ofHost.endsWith(host) : ofHost.equals(host))
                && (anyPathSuffix ? ofPath.startsWith(path) : ofPath.equals(path));
    }
}
