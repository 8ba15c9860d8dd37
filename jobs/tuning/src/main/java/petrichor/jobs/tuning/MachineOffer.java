package petrichor.jobs.tuning;

import petrichor.base.PetrichorException;

/** A machine type that can be leased in any number, with its cores and price. */
public record MachineOffer(String type, int cores, double dollarsPerHour) {
    public MachineOffer {
        if (type.isBlank() || cores < 1 || dollarsPerHour < 0) {
            throw PetrichorException.invalid(
                    "an instance type needs a name, at least one core, and a price that is not"
                            + " negative");
        }
    }

    /** As {@code m1.small:1:0.10}. */
    public static MachineOffer parse(String text) {
        String[] parts = text.split(":", -1);
        try {
            if (parts.length == 3) {
                return new MachineOffer(
                        parts[0], Integer.parseInt(parts[1]), Double.parseDouble(parts[2]));
            }
        } catch (NumberFormatException wrong) {
            // Reported below.
        }
        throw PetrichorException.invalid(
                "an instance type is TYPE:CORES:DOLLARS_PER_HOUR, e.g. m1.small:1:0.10, not {text}",
                "text",
                text);
    }

    /** Number of machines for these subtasks, with a core for each. */
    int machines(int subtasks) {
        return Math.ceilDiv(subtasks, cores);
    }

    double dollars(int subtasks, double seconds) {
        return machines(subtasks) * dollarsPerHour * seconds / 3_600;
    }
}
