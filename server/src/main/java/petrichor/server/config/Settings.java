package petrichor.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import petrichor.base.FileProblem;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;

/**
 * The values of all keys and their origins. A flag overrides the environment, the environment
 * overrides the file, and the file overrides the default. Unknown keys and invalid values are
 * INVALID_ARGUMENT.
 */
public final class Settings {
    private final Map<ConfigKey, Setting> settings;
    private final PlacementSettings placement;
    private final List<String> warnings;

    private Settings(
            Map<ConfigKey, Setting> settings, PlacementSettings placement, List<String> warnings) {
        this.settings = settings;
        this.placement = placement;
        this.warnings = List.copyOf(warnings);
    }

    /**
     * @param file {@code petrichor.toml}; must exist if given
     * @param environment environment variables of the process; unrelated ones are ignored
     * @param flags values by key, already parsed from the command line
     */
    public static Settings read(
            Optional<Path> file, Map<String, String> environment, Map<ConfigKey, String> flags) {
        Map<ConfigKey, Setting> settings = new EnumMap<>(ConfigKey.class);
        for (ConfigKey key : ConfigKey.values()) {
            put(settings, new Setting(key, key.standard(), Setting.DEFAULT));
        }
        PlacementSettings placement =
                file.map(toml -> readFile(toml, settings)).orElse(PlacementSettings.NONE);
        List<String> warnings = new ArrayList<>();
        environment.forEach(
                (variable, value) -> {
                    ConfigVariables.keyOfOneUnderscore(variable)
                            .ifPresent(key -> warnings.add(ignored(variable, key)));
                    if (ConfigVariables.areMeantBy(variable)) {
                        ConfigKey key =
                                ConfigVariables.key(variable)
                                        .orElseThrow(() -> unknownVariable(variable));
                        put(settings, new Setting(key, value, "env " + variable));
                    }
                });
        flags.forEach((key, value) -> put(settings, new Setting(key, value, "flag")));
        return new Settings(settings, placement, warnings);
    }

    private static String ignored(String variable, ConfigKey key) {
        return "the environment variable "
                + variable
                + " has no effect: "
                + key.key()
                + " is set by "
                + key.environmentVariable()
                + ", with two underscores after the section";
    }

    private static PlacementSettings readFile(Path file, Map<ConfigKey, Setting> settings) {
        TomlParseResult toml;
        try {
            toml = Toml.parse(Files.readString(file));
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read the configuration " + file, unreadable);
        }
        if (toml.hasErrors()) {
            throw PetrichorException.invalid(
                    "{file} is not valid TOML: {errors}",
                    "file",
                    file,
                    "errors",
                    toml.errors().getFirst().toString());
        }
        for (String dotted : toml.dottedKeySet(true)) {
            Object value = Objects.requireNonNull(toml.get(dotted));
            TomlPosition position = toml.inputPositionOf(dotted);
            String where = file + ":" + (position == null ? 1 : position.line());
            if (PlacementSettings.isSection(dotted)) {
                continue; // read as a whole, below
            }
            if (value instanceof TomlTable) {
                requireSection(dotted, where);
                continue; // its keys are visited by themselves
            }
            ConfigKey key = key(dotted).orElseThrow(() -> unknownKey(dotted, where));
            if (value instanceof TomlArray) {
                throw wrong(key, "[…]", where);
            }
            put(settings, new Setting(key, inFile(key, value, file), "file " + where));
        }
        return PlacementSettings.read(toml, file);
    }

    /** Resolves relative paths against the folder of the file. */
    private static String inFile(ConfigKey key, Object value, Path file) {
        String text = value.toString();
        Path folder = file.toAbsolutePath().getParent();
        return key.kind() == SettingKind.PATH && !text.isEmpty() && folder != null
                ? folder.resolve(text).toString()
                : text;
    }

    private static void put(Map<ConfigKey, Setting> settings, Setting setting) {
        if (!SettingValue.fits(setting.key().kind(), setting.value())) {
            throw wrong(setting.key(), setting.value(), setting.origin());
        }
        settings.put(setting.key(), setting);
    }

    private static PetrichorException wrong(ConfigKey key, String value, String origin) {
        return PetrichorException.invalid(
                "{key} is \"{value}\" ({origin}); it must be {expectation}",
                "key",
                key.key(),
                "value",
                value,
                "origin",
                origin,
                "expectation",
                key.kind().expectation());
    }

    private static Optional<ConfigKey> key(String dotted) {
        return Arrays.stream(ConfigKey.values())
                .filter(one -> one.key().equals(dotted))
                .findFirst();
    }

    /** The part of each key before the dot. */
    private static List<String> sections() {
        return Arrays.stream(ConfigKey.values())
                .map(one -> one.key().substring(0, one.key().indexOf('.')))
                .distinct()
                .toList();
    }

    /** Without this check, a misspelled section without keys would be accepted silently. */
    private static void requireSection(String name, String where) {
        if (!sections().contains(name)) {
            throw PetrichorException.invalid(
                    "unknown section [{name}] ({source}); did you mean [{suggestion}]?",
                    "name",
                    name,
                    "source",
                    where,
                    "suggestion",
                    NearestName.of(name, sections()).orElseThrow());
        }
    }

    private static PetrichorException unknownKey(String key, String where) {
        List<String> keys = Arrays.stream(ConfigKey.values()).map(ConfigKey::key).toList();
        return PetrichorException.invalid(
                "unknown key {key} ({source}); did you mean {suggestion}?",
                "key",
                key,
                "source",
                where,
                "suggestion",
                NearestName.of(key, keys).orElseThrow());
    }

    private static PetrichorException unknownVariable(String variable) {
        List<String> variables =
                Arrays.stream(ConfigKey.values()).map(ConfigKey::environmentVariable).toList();
        return PetrichorException.invalid(
                "unknown key in the environment: {variable}; did you mean {suggestion}?",
                "variable",
                variable,
                "suggestion",
                NearestName.of(variable, variables).orElseThrow());
    }

    /** These settings, but with {@code value} as the default of {@code key}. */
    public Settings orElse(ConfigKey key, String value, String origin) {
        Map<ConfigKey, Setting> filled = new EnumMap<>(settings);
        filled.computeIfPresent(
                key, (_, set) -> set.isSet() ? set : new Setting(key, value, origin));
        return new Settings(filled, placement, warnings);
    }

    /** All keys in the order of the documentation, for {@code config show --origin}. */
    public List<Setting> list() {
        return List.copyOf(settings.values());
    }

    /** Messages about settings that have no effect. */
    public List<String> warnings() {
        return warnings;
    }

    /** Further stores, and the data placed in them. */
    public PlacementSettings placement() {
        return placement;
    }

    String value(ConfigKey key) {
        return Objects.requireNonNull(settings.get(key)).value();
    }

    Optional<String> text(ConfigKey key) {
        return Optional.of(value(key)).filter(value -> !value.isEmpty());
    }

    Optional<Path> path(ConfigKey key) {
        return text(key).map(Path::of);
    }

    int whole(ConfigKey key) {
        return Math.toIntExact(SettingValue.whole(value(key)));
    }

    int bytes(ConfigKey key) {
        return Math.toIntExact(SettingValue.bytes(value(key)));
    }

    Duration duration(ConfigKey key) {
        return SettingValue.duration(value(key));
    }

    boolean flag(ConfigKey key) {
        return Boolean.parseBoolean(value(key));
    }

    String upper(ConfigKey key) {
        return value(key).toUpperCase(Locale.ROOT);
    }
}
