package petrichor.kv.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreFailures;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryStore;

/**
 * Opens {@code memory://host[:port]/name}: for tests of programs that are configured with the
 * address of a store. The stores are in the memory of this process, one per name, and keep their
 * rows when they are closed. With a port in its address, a store answers only while a server
 * listens there.
 */
public final class MemoryPlugin implements StorePlugin {
    /** Shared by all instances, because each open creates one. */
    private static final Map<String, MemoryStore> STORES = new ConcurrentHashMap<>();

    /** Installs the plugin in the layout of the build: a folder of jars. */
    public static void install(Path stores) throws IOException {
        Path folder = Files.createDirectories(stores.resolve("kv-memory"));
        try (OutputStream file = Files.newOutputStream(folder.resolve("kv-memory.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.putNextEntry(new JarEntry("META-INF/services/" + StorePlugin.class.getName()));
            jar.write(MemoryPlugin.class.getName().getBytes(US_ASCII));
        }
    }

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        for (StoreUrl.Node node : url.nodes()) {
            node.port().ifPresent(port -> requireServer(url, node.host(), port));
        }
        return new Kept(STORES.computeIfAbsent(url.name(), _ -> MemoryStore.open()));
    }

    private static void requireServer(StoreUrl url, String host, int port) {
        try (Socket socket = new Socket(host, port)) {
            socket.shutdownOutput();
        } catch (IOException refused) {
            throw StoreFailures.unreachable(url.toString(), refused);
        }
    }

    private static final class Kept extends ForwardingStore {
        Kept(KeyValueStore store) {
            super(store);
        }

        @Override
        public void close() {}
    }
}
