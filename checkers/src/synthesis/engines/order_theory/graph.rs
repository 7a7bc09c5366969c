//! A graph of events that stays acyclic while edges come and go (Pearce and Kelly, JEA 2006).

/// An edge that is there for a reason: a literal of the solver, or 0 if it is there in any case.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    reason: i32,
}

/// The graph, with its nodes in a topological order.
#[derive(Debug)]
pub(super) struct Graph {
    successors: Vec<Vec<Edge>>,
    predecessors: Vec<Vec<u32>>,
    /// By node, its place in the order.
    places: Vec<u32>,
    /// Edges in the order in which they came.
    trail: Vec<(u32, u32)>,
    /// By node, the search that met it last, and the node and reason it was reached from.
    met: Vec<u32>,
    from: Vec<(u32, i32)>,
    searches: u32,
    forward: Vec<u32>,
    backward: Vec<u32>,
}

impl Graph {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            successors: vec![Vec::new(); nodes],
            predecessors: vec![Vec::new(); nodes],
            places: (0..nodes as u32).collect(),
            trail: Vec::new(),
            met: vec![0; nodes],
            from: vec![(0, 0); nodes],
            searches: 0,
            forward: Vec::new(),
            backward: Vec::new(),
        }
    }

    /// How many edges there are.
    pub(super) fn len(&self) -> usize {
        self.trail.len()
    }

    /// By node, its place in a topological order.
    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Adds an edge. Where it closes a cycle it does not, and returns the reasons of the other edges.
    pub(super) fn add(&mut self, from: u32, to: u32, reason: i32) -> Result<(), Vec<i32>> {
        if from == to {
            return Err(Vec::new());
        }
        let (lower, upper) = (self.places[to as usize], self.places[from as usize]);
        if lower < upper {
            if self.search_forward(to, from, upper) {
                return Err(self.reasons(to, from));
            }
            self.search_backward(from, lower);
            self.reorder();
        }
        self.successors[from as usize].push(Edge { to, reason });
        self.predecessors[to as usize].push(from);
        self.trail.push((from, to));
        Ok(())
    }

    /// Takes edges away until this many are left. The order stays one.
    pub(super) fn shrink(&mut self, edges: usize) {
        while self.trail.len() > edges {
            if let Some((from, to)) = self.trail.pop() {
                self.successors[from as usize].pop();
                self.predecessors[to as usize].pop();
            }
        }
    }

    /// The reasons of a shortest path between two nodes; `None` if there is no path.
    pub(super) fn path(&mut self, from: u32, to: u32) -> Option<Vec<i32>> {
        let upper = self.places[to as usize];
        (self.places[from as usize] < upper && self.search_forward(from, to, upper))
            .then(|| self.reasons(from, to))
    }

    /// Breadth first, so that a path found is a shortest; whether the goal was met.
    fn search_forward(&mut self, start: u32, goal: u32, upper: u32) -> bool {
        self.searches += 1;
        self.forward.clear();
        self.forward.push(start);
        self.met[start as usize] = self.searches;
        let mut next = 0;
        while let Some(&node) = self.forward.get(next) {
            next += 1;
            for edge in &self.successors[node as usize] {
                let to = edge.to as usize;
                if self.met[to] == self.searches || self.places[to] > upper {
                    continue;
                }
                self.met[to] = self.searches;
                self.from[to] = (node, edge.reason);
                if edge.to == goal {
                    return true;
                }
                self.forward.push(edge.to);
            }
        }
        false
    }

    fn reasons(&self, start: u32, goal: u32) -> Vec<i32> {
        let mut reasons = Vec::new();
        let mut node = goal;
        while node != start {
            let (before, reason) = self.from[node as usize];
            if reason != 0 {
                reasons.push(reason);
            }
            node = before;
        }
        reasons
    }

    fn search_backward(&mut self, start: u32, lower: u32) {
        self.searches += 1;
        self.backward.clear();
        self.backward.push(start);
        self.met[start as usize] = self.searches;
        let mut next = 0;
        while let Some(&node) = self.backward.get(next) {
            next += 1;
            for &before in &self.predecessors[node as usize] {
                if self.met[before as usize] != self.searches && self.places[before as usize] > lower {
                    self.met[before as usize] = self.searches;
                    self.backward.push(before);
                }
            }
        }
    }

    /// Puts the events met going backward before those met going forward, in the places they have.
    fn reorder(&mut self) {
        let places = &mut self.places;
        self.forward.sort_unstable_by_key(|node| places[*node as usize]);
        self.backward.sort_unstable_by_key(|node| places[*node as usize]);
        let nodes: Vec<u32> = self.backward.iter().chain(&self.forward).copied().collect();
        let mut free: Vec<u32> = nodes.iter().map(|node| places[*node as usize]).collect();
        free.sort_unstable();
        nodes.iter().zip(free).for_each(|(node, place)| places[*node as usize] = place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_refused_with_their_reasons() {
        let mut graph = Graph::new(5);
        graph.add(3, 1, 7).unwrap();
        graph.add(1, 0, 0).unwrap();
        graph.add(0, 2, 9).unwrap();
        let mut reasons = graph.add(2, 3, 4).unwrap_err();
        reasons.sort_unstable();
        assert_eq!(reasons, [7, 9]);
        assert_eq!(graph.len(), 3);
        assert_eq!(graph.path(3, 0), Some(vec![7]));
        graph.shrink(2);
        graph.add(2, 3, 4).unwrap();
        let places = graph.places();
        assert!(places[2] < places[3] && places[3] < places[1] && places[1] < places[0]);
        assert_eq!(graph.path(0, 2), None);
    }

    #[test]
    fn random_edges_are_refused_exactly_where_there_is_a_path() {
        let nodes = 24;
        let mut number = 12345_u64;
        let mut random = |below: u64| {
            number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (number >> 33) % below
        };
        for _ in 0..200 {
            let mut graph = Graph::new(nodes);
            let mut edges: Vec<(u32, u32)> = Vec::new();
            for _ in 0..120 {
                if random(8) == 0 {
                    let keep = random(edges.len() as u64 + 1) as usize;
                    graph.shrink(keep);
                    edges.truncate(keep);
                }
                let (from, to) = (random(nodes as u64) as u32, random(nodes as u64) as u32);
                let mut reached = vec![to];
                let mut next = 0;
                while let Some(&node) = reached.get(next) {
                    next += 1;
                    let further: Vec<u32> =
                        edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1).collect();
                    further.into_iter().for_each(|node| {
                        if !reached.contains(&node) {
                            reached.push(node);
                        }
                    });
                }
                assert_eq!(graph.add(from, to, 1).is_err(), reached.contains(&from));
                if !reached.contains(&from) {
                    edges.push((from, to));
                }
                assert!(edges.iter().all(|(a, b)| graph.places()[*a as usize] < graph.places()[*b as usize]));
            }
        }
    }
}
