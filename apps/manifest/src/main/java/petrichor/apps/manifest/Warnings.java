package petrichor.apps.manifest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import petrichor.yaml.YamlMapping;

/** The warnings of a file while it is read. */
final class Warnings {
    private final List<ManifestWarning> warnings = new ArrayList<>();

    void add(int line, String key, String text) {
        warnings.add(new ManifestWarning(line, key, text));
    }

    /**
     * Warns of the fields of a mapping that are not supported.
     *
     * @param path of the mapping, with a dot at the end; empty for the file
     * @param ignored names of fields, and what happens instead
     */
    void addIgnored(YamlMapping mapping, String path, Map<String, String> ignored) {
        for (String name : mapping.names()) {
            String text = ignored.get(name);
            if (text != null && mapping.has(name)) {
                add(mapping.line(name), path + name, text);
            }
        }
    }

    List<ManifestWarning> inOrder() {
        return warnings.stream().sorted(Comparator.comparingInt(ManifestWarning::line)).toList();
    }
}
