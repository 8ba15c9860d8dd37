package petrichor.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import petrichor.base.FileProblem;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.TokenHash;
import petrichor.server.TokensFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        description = "Create tokens with roles for clients of a server.",
        subcommands = TokenCommand.Create.class)
final class TokenCommand {
    private TokenCommand() {}

    /** Creates a token. It is shown once; the file contains only its hash. */
    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = {
                "Print a new token and add its hash to a tokens file.",
                "A server with this auth.tokens-file accepts the token within seconds."
            })
    static final class Create implements Callable<Integer> {
        private static final int TOKEN_BYTES = 32;

        @Parameters(paramLabel = "NAME", description = "Name of the token in the audit log.")
        private String name = "";

        @Option(
                names = "--role",
                required = true,
                description = "Role of the token: ${COMPLETION-CANDIDATES}.")
        private Role role = Role.READ;

        @Option(
                names = "--project",
                description =
                        "Project that the token may access; repeatable. Default: all projects")
        private List<String> projects = new ArrayList<>();

        @Option(
                names = "--database",
                paramLabel = "PROJECT/ID",
                description = "Single database that the token may access; repeatable.")
        private List<String> databases = new ArrayList<>();

        @Option(
                names = "--file",
                description = "Tokens file, created if missing. Default: tokens.toml")
        private Path file = Path.of("tokens.toml");

        @Override
        public Integer call() {
            byte[] random = new byte[TOKEN_BYTES];
            new SecureRandom().nextBytes(random);
            String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
            write(TokensFile.withToken(text(), file, section(token)));
            System.out.println(token);
            Terminal.open(false)
                    .say(
                            "added \""
                                    + name
                                    + "\" to "
                                    + file
                                    + "; the token is shown only this once");
            return ExitCode.OK.number();
        }

        private String text() {
            try {
                return Files.exists(file) ? Files.readString(file) : "";
            } catch (IOException failed) {
                throw FileProblem.of("cannot read " + file, failed);
            }
        }

        private String section(String token) {
            TokensFile.requireName(name);
            StringBuilder section = new StringBuilder("[" + name + "]\n");
            section.append("role = \"").append(role.text()).append("\"\n");
            section.append("sha256 = \"").append(TokenHash.of(token).hex()).append("\"\n");
            add(section, "projects", projects);
            add(section, "databases", databases);
            return section.toString();
        }

        private static void add(StringBuilder section, String key, List<String> values) {
            if (!values.isEmpty()) {
                section.append(
                        values.stream()
                                .map(value -> "\"" + value.replaceAll("[\"\\\\]", "") + "\"")
                                .collect(Collectors.joining(", ", key + " = [", "]\n")));
            }
        }

        /** Replaces the file atomically, so that a running server never reads a partial file. */
        private void write(String text) {
            Path beside = file.resolveSibling(file.getFileName() + ".new");
            try {
                Files.deleteIfExists(beside);
                Files.createFile(beside);
                if (Files.getFileStore(beside).supportsFileAttributeView("posix")) {
                    Files.setPosixFilePermissions(
                            beside, PosixFilePermissions.fromString("rw-------"));
                }
                Files.writeString(beside, text, StandardOpenOption.WRITE);
                Files.move(
                        beside,
                        file,
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException failed) {
                throw FileProblem.of("cannot write " + file, failed);
            }
        }
    }
}
