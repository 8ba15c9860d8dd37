package petrichor.jobs.formats;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;

/** The names of the columns of one file. */
record CsvHeader(String file, List<String> names) {
    /** Limit of the names in a message. */
    private static final int NAMES_SHOWN_MAX = 40;

    CsvHeader {
        names = List.copyOf(names);
    }

    static CsvHeader of(FileSplit file, CsvSource.Dialect dialect) throws IOException {
        try (CsvReader reader = CsvReader.ofHeader(file, dialect)) {
            List<String> names = new ArrayList<>();
            for (String name : reader.header()) {
                names.add(name.strip());
            }
            return new CsvHeader(file.file(), names);
        }
    }

    /** The positions of these fields; refuses a missing or duplicate one. */
    List<Integer> indexes(List<Field> fields) {
        return fields.stream().map(field -> index(field.name())).toList();
    }

    private int index(String name) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw PetrichorException.invalid(
                    "{file} has no column \"{name}\"{suggestion} Its header names {columns}. (Files"
                            + " without a header are read by position.)",
                    "file",
                    file,
                    "name",
                    name,
                    "suggestion",
                    NearestName.closeTo(name, names)
                            .map(nearest -> "; did you mean \"" + nearest + "\"?")
                            .orElse("."),
                    "columns",
                    shown());
        }
        if (names.lastIndexOf(name) != index) {
            throw PetrichorException.invalid(
                    "{file} has several columns \"{name}\": rename them, or read the columns by"
                            + " position",
                    "file",
                    file,
                    "name",
                    name);
        }
        return index;
    }

    private String shown() {
        return names.stream().limit(NAMES_SHOWN_MAX).collect(Collectors.joining(", "))
                + (names.size() > NAMES_SHOWN_MAX
                        ? " and " + (names.size() - NAMES_SHOWN_MAX) + " more"
                        : "");
    }
}
