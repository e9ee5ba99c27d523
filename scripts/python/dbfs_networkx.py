"""What NetworkX asks of its backend dbfs when it is imported: without numpy, which `import dbfs` loads."""

# Work is in vertices and edges that NetworkX would visit. Below, it is done before the programs of dbfs have started.
MIN_WORK = 500_000

OF_ONE_SEARCH = (
    "single_source_shortest_path_length", "single_target_shortest_path_length", "single_source_shortest_path",
    "single_target_shortest_path", "bidirectional_shortest_path", "has_path", "shortest_path", "shortest_path_length",
    "bfs_layers", "descendants_at_distance", "connected_components", "number_connected_components", "is_connected",
    "node_connected_component", "weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected",
    "number_strongly_connected_components", "is_strongly_connected",
)
OF_MANY_SEARCHES = (
    "all_pairs_shortest_path_length", "all_pairs_shortest_path", "average_shortest_path_length", "closeness_centrality",
    "harmonic_centrality", "eccentricity", "diameter", "radius", "periphery", "center",
)
FUNCTIONS = OF_ONE_SEARCH + OF_MANY_SEARCHES


def info():
    """The entry point networkx.backend_info."""
    return {
        "backend_name": "dbfs",
        "project": "dbfs",
        "package": "dbfs",
        "short_summary": "Hop distances, shortest paths, closeness and components by the programs of dbfs.",
        "functions": {name: {} for name in FUNCTIONS},
        "default_config": {"min_work": MIN_WORK},
    }
