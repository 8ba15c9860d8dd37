package petrichor.apps.catalog;

import java.util.List;

/**
 * What applies to all services of an app.
 *
 * @param dispatch rules of the newest {@code dispatch.yaml}, in the order in which they are tried
 * @param queues names of the queues of the newest {@code queue.yaml}
 */
public record AppConfiguration(
        List<DispatchRoute> dispatch, List<String> queues, AppVariables variables) {
    public static final AppConfiguration NONE =
            new AppConfiguration(List.of(), List.of(), AppVariables.NONE);

    /**
     * A rule of {@code dispatch.yaml}.
     *
     * @param url pattern of a host and a path, such as {@code *}{@code /mobile/*}
     */
    public record DispatchRoute(String url, String service) {}

    public AppConfiguration {
        dispatch = List.copyOf(dispatch);
        queues = List.copyOf(queues);
    }

    public AppConfiguration withDispatch(List<DispatchRoute> rules) {
        return new AppConfiguration(rules, queues, variables);
    }

    public AppConfiguration withQueues(List<String> names) {
        return new AppConfiguration(dispatch, names, variables);
    }

    public AppConfiguration withVariables(AppVariables changed) {
        return new AppConfiguration(dispatch, queues, changed);
    }
}
