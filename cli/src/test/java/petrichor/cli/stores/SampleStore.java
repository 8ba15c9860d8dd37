package petrichor.cli.stores;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.testkit.WebServerDeployment;

/** A deployment, as provided by a datastore's plugin, for the web server that is part of Java. */
public final class SampleStore extends WebServerDeployment {
    public SampleStore() {
        super("sample", 21_180);
    }

    /** Installs the plugin in the layout of the build: a folder of jars. */
    public static void install(Path stores) throws IOException {
        Path folder = Files.createDirectories(stores.resolve("kv-sample"));
        String self = SampleStore.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(folder.resolve("kv-sample.jar"));
                JarOutputStream jar = new JarOutputStream(file);
                InputStream code = SampleStore.class.getClassLoader().getResourceAsStream(self)) {
            jar.putNextEntry(new JarEntry(self));
            code.transferTo(jar);
            jar.putNextEntry(new JarEntry("META-INF/services/" + StoreDeployment.class.getName()));
            jar.write(SampleStore.class.getName().getBytes(US_ASCII));
        }
    }
}
