package petrichor.cli.serving;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "user",
        mixinStandardHelpOptions = true,
        description = "Manage the accounts of users of apps.",
        subcommands = {
            UserCommand.Add.class,
            UserCommand.ListAll.class,
            UserCommand.Remove.class,
            UserCommand.Passwd.class,
            UserCommand.Grant.class,
            UserCommand.Revoke.class
        })
public final class UserCommand {
    private static final String PAGE = "/petrichor/v1/users";

    private UserCommand() {}

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Add an account; asks for its password.")
    static final class Add implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "EMAIL", description = "Address that names the account.")
        private String email = "";

        @Option(
                names = "--no-password",
                description = "The directory or the OpenID provider checks the password.")
        private boolean noPassword;

        @Override
        public Integer call() throws IOException, InterruptedException {
            JsonObject change = action("add", email);
            if (!noPassword) {
                change.addProperty("password", password());
            }
            return send(address, change, "added " + email);
        }
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "List the accounts.")
    static final class ListAll implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            JsonObject users;
            try (ServerAddress.Connection connection = address.connect(false)) {
                users =
                        ServerPage.read(
                                connection.client().address(),
                                PAGE,
                                address.token(),
                                address.tls(),
                                "its users");
            }
            if (json) {
                System.out.println(users);
            } else {
                System.out.print(table(users));
            }
            return ExitCode.OK.number();
        }

        private static String table(JsonObject users) {
            StringBuilder lines = new StringBuilder();
            for (JsonElement one : users.getAsJsonArray("users")) {
                JsonObject user = one.getAsJsonObject();
                lines.append(user.get("email").getAsString());
                if (user.get("cloudAdmin").getAsBoolean()) {
                    lines.append("  administrator of the platform");
                }
                user.getAsJsonArray("adminOf")
                        .forEach(
                                app ->
                                        lines.append("  administrator of ")
                                                .append(app.getAsString()));
                lines.append(System.lineSeparator());
            }
            return lines.toString();
        }
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Remove an account and end its sessions.")
    static final class Remove implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "EMAIL", description = "Address that names the account.")
        private String email = "";

        @Override
        public Integer call() throws InterruptedException {
            return send(address, action("remove", email), "removed " + email);
        }
    }

    @Command(
            name = "passwd",
            mixinStandardHelpOptions = true,
            description = "Change the password of an account and end its sessions.")
    static final class Passwd implements Callable<Integer> {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(paramLabel = "EMAIL", description = "Address that names the account.")
        private String email = "";

        @Override
        public Integer call() throws IOException, InterruptedException {
            JsonObject change = action("password", email);
            change.addProperty("password", password());
            return send(address, change, "changed the password of " + email);
        }
    }

    /** Which role is granted or revoked. */
    static final class RoleChoice {
        @Mixin private ServerAddress address = new ServerAddress();

        @Parameters(
                index = "0",
                paramLabel = "EMAIL",
                description = "Address that names the account.")
        private String email = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "APP",
                description = "App that the account may administer.")
        private @Nullable String app;

        @Option(names = "--cloud", description = "Every app, and the platform itself.")
        private boolean cloud;

        int send(String action) throws InterruptedException {
            if (cloud == (app != null)) {
                throw PetrichorException.invalid("name an app, or use --cloud");
            }
            JsonObject change = action(action, email);
            if (app != null) {
                change.addProperty("project", app);
            } else {
                change.addProperty("cloud", true);
            }
            return UserCommand.send(address, change, action + ": " + email);
        }
    }

    @Command(
            name = "grant",
            mixinStandardHelpOptions = true,
            description = "Make an account an administrator of an app.")
    static final class Grant implements Callable<Integer> {
        @Mixin private RoleChoice choice = new RoleChoice();

        @Override
        public Integer call() throws InterruptedException {
            return choice.send("grant");
        }
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "Take the role of an administrator from an account.")
    static final class Revoke implements Callable<Integer> {
        @Mixin private RoleChoice choice = new RoleChoice();

        @Override
        public Integer call() throws InterruptedException {
            return choice.send("revoke");
        }
    }

    private static JsonObject action(String action, String email) {
        JsonObject change = new JsonObject();
        change.addProperty("action", action);
        change.addProperty("email", email);
        return change;
    }

    private static int send(ServerAddress address, JsonObject change, String done)
            throws InterruptedException {
        JsonObject _ = address.change(PAGE, change);
        System.out.println(done);
        return ExitCode.OK.number();
    }

    /** From the terminal, without echo and twice; otherwise the first line of standard input. */
    private static String password() throws IOException {
        Optional<Console> terminal =
                Optional.ofNullable(System.console()).filter(Console::isTerminal);
        if (terminal.isPresent()) {
            char[] first = terminal.get().readPassword("Password: ");
            char[] again = terminal.get().readPassword("Again: ");
            if (first == null || !Arrays.equals(first, again)) {
                throw PetrichorException.invalid("the passwords differ");
            }
            return new String(first);
        }
        BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = input.readLine();
        if (line == null) {
            throw PetrichorException.invalid("a password is expected on standard input");
        }
        return line;
    }
}
