package petrichor.cli.stores;

import java.util.Iterator;
import petrichor.deployment.StoreDeployment;
import petrichor.server.data.StorePlugins;

/** Names of the datastores that can be started, for completion. */
final class StoreNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return StorePlugins.installed().deployments().stream()
                .map(StoreDeployment::store)
                .iterator();
    }
}
