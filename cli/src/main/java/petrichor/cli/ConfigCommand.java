package petrichor.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

import petrichor.server.PlacementSettings;
import petrichor.server.Setting;
import petrichor.server.Settings;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.concurrent.Callable;

@Command(
        name = "config",
        mixinStandardHelpOptions = true,
        description = "Show, check or create the configuration.",
        subcommands = {
            ConfigCommand.Show.class,
            ConfigValidateCommand.class,
            ConfigInitCommand.class
        })
final class ConfigCommand {
    private ConfigCommand() {}

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {
                "Prints what a server started with these flags would run with, as TOML.",
                "Flags win over the environment, the environment over the file."
            })
    static final class Show implements Callable<Integer> {
        @Mixin private ServerFlags flags = new ServerFlags();

        @Option(names = "--origin", description = "Says with each value where it comes from.")
        private boolean origin;

        @Option(names = "--json", description = "Prints one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            Settings settings = flags.settings();
            Terminal terminal = Terminal.open(false);
            settings.warnings().forEach(warning -> terminal.say("warning: " + warning));
            if (json) {
                System.out.println(asJson(settings));
            } else {
                printToml(settings);
            }
            return ExitCode.OK.number();
        }

        private JsonObject asJson(Settings settings) {
            JsonObject all = new JsonObject();
            for (Setting setting : settings.list()) {
                if (origin) {
                    JsonObject one = new JsonObject();
                    one.add("value", typed(setting));
                    one.addProperty("origin", setting.origin());
                    all.add(setting.key().key(), one);
                } else {
                    all.add(setting.key().key(), typed(setting));
                }
            }
            for (PlacementSettings.Line line : settings.placement().lines()) {
                String key = line.section() + "." + line.key();
                if (origin) {
                    JsonObject one = new JsonObject();
                    one.addProperty("value", line.value());
                    one.addProperty("origin", line.origin());
                    all.add(key, one);
                } else {
                    all.addProperty(key, line.value());
                }
            }
            return all;
        }

        private static JsonPrimitive typed(Setting setting) {
            return switch (setting.typed()) {
                case Boolean flag -> new JsonPrimitive(flag);
                case Number number -> new JsonPrimitive(number);
                case Object text -> new JsonPrimitive(text.toString());
            };
        }

        private void printToml(Settings settings) {
            String section = "";
            for (Setting setting : settings.list()) {
                String key = setting.key().key();
                int dot = key.indexOf('.');
                if (!key.substring(0, dot).equals(section)) {
                    System.out.print(section.isEmpty() ? "" : "\n");
                    section = key.substring(0, dot);
                    System.out.println("[" + section + "]");
                }
                String line = key.substring(dot + 1) + " = " + literal(setting);
                printLine(line, setting.origin());
            }
            for (PlacementSettings.Line line : settings.placement().lines()) {
                if (!line.section().equals(section)) {
                    section = line.section();
                    System.out.println("\n[" + section + "]");
                }
                boolean bare = line.key().matches("[A-Za-z0-9_-]+");
                String key = bare ? line.key() : '"' + line.key() + '"';
                printLine(key + " = \"" + line.value() + '"', line.origin());
            }
        }

        private void printLine(String line, String from) {
            System.out.println(origin ? String.format("%-44s # %s", line, from) : line);
        }
    }

    /** A value as TOML has it. */
    static String literal(Setting setting) {
        Object value = setting.typed();
        return value instanceof String text
                ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : value.toString();
    }
}
