package petrichor.services.xmpp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import petrichor.testing.process.ProsodyServer;

/** A self-signed certificate and its key. */
record TestCertificate(ProsodyServer.Tls tls) {
    private static final String PASSWORD = "password";

    static TestCertificate of(Path folder, String host) throws Exception {
        Path store = folder.resolve(host + ".p12");
        Process keytool =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                                .toString(),
                                        "-genkeypair",
                                        "-alias",
                                        "server",
                                        "-keyalg",
                                        "EC",
                                        "-dname",
                                        "CN=" + host,
                                        "-ext",
                                        "san=dns:" + host,
                                        "-storetype",
                                        "PKCS12",
                                        "-keystore",
                                        store.toString(),
                                        "-storepass",
                                        PASSWORD))
                        .redirectErrorStream(true)
                        .start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, PASSWORD.toCharArray());
        }
        return new TestCertificate(
                new ProsodyServer.Tls(
                        pem(
                                folder.resolve(host + ".pem"),
                                "CERTIFICATE",
                                keys.getCertificate("server").getEncoded()),
                        pem(
                                folder.resolve(host + ".key"),
                                "PRIVATE KEY",
                                keys.getKey("server", PASSWORD.toCharArray()).getEncoded())));
    }

    private static Path pem(Path file, String kind, byte[] content) throws Exception {
        String text =
                "-----BEGIN "
                        + kind
                        + "-----\n"
                        + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                                .encodeToString(content)
                        + "\n-----END "
                        + kind
                        + "-----\n";
        return Files.writeString(file, text);
    }
}
