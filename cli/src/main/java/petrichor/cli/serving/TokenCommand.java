package petrichor.cli.serving;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
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
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.TokenHash;
import petrichor.server.tokens.TokensFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        description = "Manage tokens with roles for clients of a server.",
        subcommands = {
            TokenCommand.Create.class,
            TokenCommand.ListAll.class,
            TokenCommand.Revoke.class
        })
public final class TokenCommand {
    private static final String PAGE = "/petrichor/v1/tokens";

    private TokenCommand() {}

    private static JsonObject send(ServerAddress address, JsonObject change)
            throws InterruptedException {
        return address.change(PAGE, change);
    }

    /** Creates a token. It is shown once; the server or the file keeps only its hash. */
    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = {
                "Print a new token that a server accepts.",
                "All servers of a cluster accept it within seconds."
            })
    static final class Create implements Callable<Integer> {
        private static final int TOKEN_BYTES = 32;
        private static final long DAY_S = 86_400;

        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Name of the token in the audit log.")
        private String name = "";

        @Option(
                names = "--role",
                required = true,
                description = "Role of the token: ${COMPLETION-CANDIDATES}.")
        private Role role = Role.READ;

        @Option(
                names = "--expires-days",
                paramLabel = "DAYS",
                description = "Days until the token expires. Default: never")
        private @Nullable Integer days;

        @Option(
                names = "--file",
                description = "Add its hash to this auth.tokens-file, without a running server.")
        private @Nullable Path file;

        @Override
        public Integer call() throws InterruptedException {
            if (file != null) {
                if (days != null) {
                    throw PetrichorException.invalid("tokens in files do not expire");
                }
                return add(file);
            }
            if (!address.givenDatabases().isEmpty()) {
                throw PetrichorException.invalid(
                        "only tokens in files are limited to databases; use --file or --project");
            }
            JsonObject create = new JsonObject();
            create.addProperty("action", "create");
            create.addProperty("name", name);
            create.addProperty("role", role.text());
            JsonArray names = new JsonArray();
            address.givenProjects().forEach(names::add);
            create.add("projects", names);
            if (days != null) {
                create.addProperty("expiresSeconds", days * DAY_S);
            }
            System.out.println(send(address, create).get("token").getAsString());
            Terminal.open(false).say("created \"" + name + "\"; the token is shown only this once");
            return ExitCode.OK.number();
        }

        private int add(Path tokens) {
            byte[] random = new byte[TOKEN_BYTES];
            new SecureRandom().nextBytes(random);
            String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
            write(tokens, TokensFile.withToken(text(tokens), tokens, section(token)));
            System.out.println(token);
            Terminal.open(false)
                    .say(
                            "added \""
                                    + name
                                    + "\" to "
                                    + tokens
                                    + "; the token is shown only this once");
            return ExitCode.OK.number();
        }

        private static String text(Path file) {
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
            add(section, "projects", address.givenProjects());
            add(section, "databases", address.givenDatabases());
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
        private static void write(Path file, String text) {
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

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the tokens that the server issued.")
    static final class ListAll implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject tokens;
            try (ServerAddress.Connection connection = address.connect(false)) {
                tokens =
                        ServerPage.read(
                                connection.client().address(),
                                PAGE,
                                address.token(),
                                address.tls(),
                                "its tokens");
            }
            if (json) {
                System.out.println(tokens);
            } else if (tokens.getAsJsonArray("tokens").isEmpty()) {
                Terminal.open(false)
                        .say("the server issued no tokens; `petrichor token create` does");
            } else {
                tokens.getAsJsonArray("tokens")
                        .forEach(token -> System.out.println(line(token.getAsJsonObject())));
            }
            return ExitCode.OK.number();
        }

        private static String line(JsonObject token) {
            List<String> projects = new ArrayList<>();
            token.getAsJsonArray("projects").forEach(each -> projects.add(each.getAsString()));
            StringBuilder line = new StringBuilder(token.get("name").getAsString());
            line.append("  ").append(token.get("role").getAsString());
            line.append("  ");
            line.append(projects.isEmpty() ? "all projects" : String.join(", ", projects));
            line.append("  created ").append(token.get("created").getAsString());
            if (token.has("expires")) {
                line.append("  expires ").append(token.get("expires").getAsString());
            }
            line.append(
                    token.has("lastUsed")
                            ? "  last used " + token.get("lastUsed").getAsString()
                            : "  never used");
            return line.toString();
        }
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "Revoke a token that the server issued.")
    static final class Revoke implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "NAME", description = "Name of the token.")
        private String name = "";

        @Override
        public Integer call() throws InterruptedException {
            JsonObject revoke = new JsonObject();
            revoke.addProperty("action", "revoke");
            revoke.addProperty("name", name);
            JsonObject _ = send(address, revoke);
            System.out.println("revoked " + name);
            return ExitCode.OK.number();
        }
    }
}
