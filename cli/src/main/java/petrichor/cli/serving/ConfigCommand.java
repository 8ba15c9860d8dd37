package petrichor.cli.serving;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.cli.connection.ServerFlags;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.server.config.PlacementSettings;
import petrichor.server.config.Setting;
import petrichor.server.config.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "config",
        mixinStandardHelpOptions = true,
        description = "Show, check or create the configuration.",
        subcommands = {
            ConfigCommand.Show.class,
            ConfigValidateCommand.class,
            ConfigInitCommand.class
        })
public final class ConfigCommand {
    private ConfigCommand() {}

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {
                "Print the effective configuration of a server with these flags, as TOML.",
                "Flags override the environment, which overrides the file."
            })
    static final class Show implements Callable<Integer> {
        @Mixin private ServerFlags flags = new ServerFlags();

        @Option(names = "--origin", description = "Also show where each value comes from.")
        private boolean origin;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            Settings settings = flags.settings();
            Terminal terminal = Terminal.open(false);
            settings.warnings().forEach(warning -> terminal.say("warning: " + warning));
            if (json) {
                System.out.println(asJson(settings));
            } else {
                System.out.print(toml(settings, origin));
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

        /**
         * @param origin whether to add the origin of each value
         */
        static String toml(Settings settings, boolean origin) {
            StringBuilder out = new StringBuilder();
            String section = "";
            for (Setting setting : settings.list()) {
                String key = setting.key().key();
                int dot = key.indexOf('.');
                if (!key.substring(0, dot).equals(section)) {
                    out.append(section.isEmpty() ? "" : "\n");
                    section = key.substring(0, dot);
                    out.append('[').append(section).append("]\n");
                }
                String line = key.substring(dot + 1) + " = " + literal(setting);
                out.append(commented(line, origin ? setting.origin() : null));
            }
            for (PlacementSettings.Line line : settings.placement().lines()) {
                if (!line.section().equals(section)) {
                    section = line.section();
                    out.append("\n[").append(section).append("]\n");
                }
                boolean bare = line.key().matches("[A-Za-z0-9_-]+");
                String key = bare ? line.key() : '"' + line.key() + '"';
                out.append(
                        commented(
                                key + " = \"" + line.value() + '"', origin ? line.origin() : null));
            }
            return out.toString();
        }

        private static String commented(String line, @Nullable String from) {
            return (from == null ? line : String.format("%-44s # %s", line, from)) + "\n";
        }
    }

    /** A value in TOML syntax. */
    static String literal(Setting setting) {
        Object value = setting.typed();
        return value instanceof String text
                ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : value.toString();
    }
}
