package petrichor.server.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.access.TokenHash;
import petrichor.server.config.ServerConfig;

class TokensFileTest {
    private static final String HASH = TokenHash.of("s3cr3t").hex();

    @TempDir private Path folder;

    @Test
    void aSectionIsAToken() {
        List<AccessTokens.Token> tokens =
                parse(
                        "[web-1]\nrole = \"write\"\nsha256 = \""
                                + HASH
                                + "\"\nprojects = [\"a\"]\ndatabases = [\"b/(default)\"]\n");
        assertThat(tokens)
                .singleElement()
                .extracting(AccessTokens.Token::caller)
                .isEqualTo(
                        new Caller(
                                "web-1",
                                Role.WRITE,
                                new Scope.Limited(Set.of("a"), Set.of("b/(default)"))));
        assertThat(AccessTokens.of(tokens).caller("Bearer s3cr3t").name()).isEqualTo("web-1");
    }

    @Test
    void mistakesNameTheTokenAndTheCureAndNeverTheSecret() {
        String valid = "sha256 = \"" + HASH + "\"\n";
        assertRefused("[a]\n" + valid, "\"a\" needs role");
        assertRefused("[a]\nrole = \"owner\"\n" + valid, "\"a\" needs role");
        assertRefused("[a]\nrole = \"read\"\nsha256 = \"s3cr3t\"\n", "needs sha256");
        assertRefused(
                "[a]\nrole = \"read\"\n" + valid + "project = [\"p\"]", "did you mean projects");
        assertRefused(
                "[a]\nrole = \"read\"\n" + valid + "projects = \"p\"", "not a list of strings");
        assertRefused("[a]\nrole = \"read\"\n" + valid + "databases = [\"p\"]", "PROJECT/DATABASE");
        assertRefused("token = \"s3cr3t\"", "is not a section");
        assertRefused("[\"auth.token\"]\nrole = \"read\"\n" + valid, "cannot name a token");
        assertRefused("[a", "is not valid TOML");
    }

    @Test
    void aFileThatOthersCanReadOrChangeIsRefused() throws IOException {
        Path file = folder.resolve("token");
        Files.writeString(file, "s3cr3t\n");
        for (String mode : new String[] {"rw-r--r--", "rw--w----", "rw-----w-"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            assertThatThrownBy(() -> ConfiguredTokens.read(single(file)))
                    .as(mode)
                    .hasMessageContaining("chmod 600");
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Caller caller = ConfiguredTokens.read(single(file)).caller("Bearer s3cr3t");
        assertThat(caller.name()).isEqualTo("auth.token");
        caller.requireEverywhere(Role.ADMIN);
    }

    private static ServerConfig.Access single(Path file) {
        return new ServerConfig.Access(
                Optional.empty(), Optional.of(file), Optional.empty(), Duration.ofSeconds(5));
    }

    private static void assertRefused(String text, String why) {
        assertThatThrownBy(() -> AccessTokens.of(parse(text)))
                .hasMessageContaining(why)
                .hasMessageNotContaining("s3cr3t");
    }

    private static List<AccessTokens.Token> parse(String text) {
        return TokensFile.parse(text, Path.of("tokens.toml"));
    }
}
