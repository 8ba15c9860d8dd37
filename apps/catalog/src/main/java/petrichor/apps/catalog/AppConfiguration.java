package petrichor.apps.catalog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * What applies to all services of an app.
 *
 * @param dispatch rules of the newest {@code dispatch.yaml}, in the order in which they are tried
 * @param queues names of the queues of the newest {@code queue.yaml}
 * @param domains in the order of their hosts; no host occurs twice
 */
public record AppConfiguration(
        List<DispatchRoute> dispatch,
        List<String> queues,
        AppVariables variables,
        List<AppDomain> domains) {
    public static final AppConfiguration NONE =
            new AppConfiguration(List.of(), List.of(), AppVariables.NONE, List.of());

    public static final int DOMAINS_MAX = 100;

    /**
     * A rule of {@code dispatch.yaml}.
     *
     * @param url pattern of a host and a path, such as {@code *}{@code /mobile/*}
     */
    public record DispatchRoute(String url, String service) {}

    public AppConfiguration {
        dispatch = List.copyOf(dispatch);
        queues = List.copyOf(queues);
        domains = domains.stream().sorted(Comparator.comparing(AppDomain::host)).toList();
        Set<String> hosts = new HashSet<>();
        for (AppDomain domain : domains) {
            if (!hosts.add(domain.host())) {
                throw PetrichorException.invalid(
                        "the domain {host} leads to two services of the app",
                        "host",
                        domain.host());
            }
        }
        if (hosts.size() > DOMAINS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the app has {domainsMax} domains already; remove one",
                    "domainsMax",
                    DOMAINS_MAX);
        }
    }

    public AppConfiguration withDispatch(List<DispatchRoute> rules) {
        return new AppConfiguration(rules, queues, variables, domains);
    }

    public AppConfiguration withQueues(List<String> names) {
        return new AppConfiguration(dispatch, names, variables, domains);
    }

    public AppConfiguration withVariables(AppVariables changed) {
        return new AppConfiguration(dispatch, queues, changed, domains);
    }

    /** With the domain, which replaces another one with the same host. */
    AppConfiguration with(AppDomain domain) {
        List<AppDomain> all = new ArrayList<>(without(domain.host()).domains());
        all.add(domain);
        return new AppConfiguration(dispatch, queues, variables, all);
    }

    AppConfiguration without(String host) {
        List<AppDomain> others =
                domains.stream().filter(domain -> !domain.host().equals(host)).toList();
        return new AppConfiguration(dispatch, queues, variables, others);
    }
}
