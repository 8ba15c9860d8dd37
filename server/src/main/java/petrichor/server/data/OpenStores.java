package petrichor.server.data;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import petrichor.entities.KindPlacement;
import petrichor.entities.KindPlacement.Subject;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksOptions;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.server.config.PlacementSettings;
import petrichor.server.config.ServerConfig;
import petrichor.server.metrics.MeteredStore;
import petrichor.server.metrics.StoreWatch;
import petrichor.transactions.databases.NamedStores;
import petrichor.transactions.log.RoutedStores;

/** Opens the configured stores: the home store and those with placed data. */
final class OpenStores {
    /** Name in metrics of the store of {@code store.url}, or of the embedded store. */
    private static final String HOME = "home";

    private OpenStores() {}

    static RoutedStores of(ServerConfig.Store config) {
        KeyValueStore home = home(config);
        List<RoutedStores.Other> others = new ArrayList<>();
        try {
            return placed(home, others, config.placed());
        } catch (RuntimeException failed) {
            others.forEach(other -> other.store().close());
            home.close();
            throw failed;
        }
    }

    private static KeyValueStore home(ServerConfig.Store config) {
        if (config.url().isPresent()) {
            StoreUrl url = config.url().get();
            return new MeteredStore(HOME, url.scheme(), StorePlugins.installed().open(url));
        }
        if (config.memory()) {
            return MemoryStore.open();
        }
        RocksOptions options = RocksOptions.DEFAULT.withBlockCacheBytes(config.cacheBytes());
        return new MeteredStore(
                HOME,
                StoreWatch.EMBEDDED,
                RocksStore.open(
                        config.data(),
                        options.withOpenFilesMax(
                                FileHandles.forEmbeddedStore(
                                        FileHandles.max(), options.openFilesMax()))));
    }

    private static RoutedStores placed(
            KeyValueStore home, List<RoutedStores.Other> others, PlacementSettings settings) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        Map<Subject, Integer> places = new LinkedHashMap<>();
        Map<Subject, String> names = new LinkedHashMap<>();
        settings.rules()
                .forEach(
                        (subject, rule) -> {
                            String name = rule.store();
                            names.put(subject, name);
                            places.put(
                                    subject,
                                    numbers.computeIfAbsent(name, _ -> numbers.size() + 1));
                        });
        for (String name : numbers.keySet()) {
            PlacementSettings.Store store = settings.stores().get(name);
            if (store == null) {
                throw new IllegalStateException("no store " + name);
            }
            others.add(new RoutedStores.Other(name, open(name, store)));
        }
        return others.isEmpty()
                ? RoutedStores.of(home)
                : new RoutedStores(
                        home, others, new KindPlacement(places), KindPlacement.text(names));
    }

    /** The configured stores without placed data: databases can move to them. */
    static NamedStores destinations(ServerConfig.Store config) {
        PlacementSettings settings = config.placed();
        Map<String, Supplier<KeyValueStore>> openers = new LinkedHashMap<>();
        settings.stores()
                .forEach(
                        (name, store) -> {
                            if (settings.rules().values().stream()
                                    .noneMatch(rule -> rule.store().equals(name))) {
                                openers.put(name, () -> open(name, store));
                            }
                        });
        return new NamedStores(openers);
    }

    private static KeyValueStore open(String name, PlacementSettings.Store store) {
        return new MeteredStore(
                name, store.address().scheme(), StorePlugins.installed().open(store.address()));
    }

    static void close(RoutedStores stores) {
        try {
            stores.others().forEach(other -> other.store().close());
        } finally {
            stores.home().close();
        }
    }
}
